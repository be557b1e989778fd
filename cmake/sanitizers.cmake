if(BLOOMERY_SANITIZE)
  add_compile_options(-fsanitize=${BLOOMERY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BLOOMERY_SANITIZE})
endif()
