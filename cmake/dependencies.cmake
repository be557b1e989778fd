# What the library links. The installed package looks for the same (bloomeryConfig.cmake.in).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET GLOBAL libxxhash)
if(NOT BLOOMERY_FORMATS)
  return()
endif()
find_package(ZLIB REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET GLOBAL libsodium)
pkg_check_modules(cryptopp REQUIRED IMPORTED_TARGET GLOBAL libcrypto++)
pkg_check_modules(snappy REQUIRED IMPORTED_TARGET GLOBAL snappy)
pkg_check_modules(libcurl QUIET IMPORTED_TARGET GLOBAL libcurl>=7.85) # for web addresses only
find_package(nlohmann_json REQUIRED) # at build time only
