# Flags that make a memory error harder to exploit, for our own programs only: a project that includes the library keeps
# its own. Not with sanitizers, which find the same errors and more.
option(BLOOMERY_HARDEN "Build with stack protector, FORTIFY and full RELRO" ${PROJECT_IS_TOP_LEVEL})
if(BLOOMERY_HARDEN AND NOT BLOOMERY_SANITIZE AND NOT BLOOMERY_FUZZ)
  # Position-independent programs are Debian's default, for the compiler and the linker.
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  # FORTIFY needs an optimised build, and some compilers define it themselves.
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
