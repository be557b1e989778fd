if(BLOOMERY_SANITIZE)
  add_compile_options(-fsanitize=${BLOOMERY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BLOOMERY_SANITIZE})
endif()
# For folders whose code tells the fuzzer which branches an input reached: the library, the programs and the fuzz targets.
# Tests need not, and compile faster without.
macro(bloomery_report_branches)
  if(BLOOMERY_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endmacro()
