# Warnings for our own targets, as errors; a project that includes us keeps its own.
add_library(bloomery_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(bloomery_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
endif()
