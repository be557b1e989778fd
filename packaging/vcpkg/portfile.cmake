# An overlay port that builds the tree it lies in: vcpkg install bloomery --overlay-ports=packaging/vcpkg
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH packaging)
cmake_path(GET packaging PARENT_PATH SOURCE_PATH)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES formats BLOOMERY_FORMATS)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${features}
  -DBLOOMERY_BUILD_TESTS=OFF -DBLOOMERY_BUILD_BENCH=OFF -DBLOOMERY_BUILD_APPS=OFF -DBLOOMERY_HARDEN=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/bloomery)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
