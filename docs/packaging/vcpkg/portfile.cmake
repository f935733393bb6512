# SPDX-License-Identifier: Apache-2.0
vcpkg_download_distfile(ARCHIVE
    URLS "https://libkarp.dev/releases/libkarp-${VERSION}.tar.gz"
    FILENAME "libkarp-${VERSION}.tar.gz"
    SHA512 @SHA512:libkarp-@VERSION@.tar.gz@
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

set(IO disabled)
if("io" IN_LIST FEATURES)
    set(IO enabled)
endif()
set(CLI disabled)
if("tools" IN_LIST FEATURES)
    set(CLI enabled)
endif()

vcpkg_configure_meson(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -Dtests=false
        -Dio=${IO}
        -Dcli=${CLI}
)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(PACKAGE_NAME karp CONFIG_PATH lib/cmake/karp)
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES karp AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
