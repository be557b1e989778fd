# Warnings for our own targets; a project that includes us keeps its own. They are errors in the presets of
# developers, and not for users, whose compiler may be one that was never tried.
option(BLOOMERY_WARNINGS_AS_ERRORS "Warnings are errors" OFF)
add_library(bloomery_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(bloomery_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough
    $<$<BOOL:${BLOOMERY_WARNINGS_AS_ERRORS}>:-Werror>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>) # GCC 12 sees overlap in std::string where there is none (bug 105651)
endif()
