if(BLOOMERY_SANITIZE)
  add_compile_options(-fsanitize=${BLOOMERY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BLOOMERY_SANITIZE})
endif()
if(BLOOMERY_FUZZ) # the library too tells the fuzzer which branches an input reached
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
