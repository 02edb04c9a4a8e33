# SPDX-License-Identifier: MIT
# Two sets of exported targets, so that a program of ready kernels finds frisket::runtime without Halide.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(frisket_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/frisket")

install(TARGETS frisket_headers FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/frisket")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include_installed/frisket" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

foreach(set IN ITEMS runtime frisket)
    if(set STREQUAL runtime)
        install(TARGETS frisket_runtime EXPORT frisket_${set} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    else()
        install(TARGETS frisket EXPORT frisket_${set} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
        if(TARGET frisket_tuner)
            install(TARGETS frisket_tuner EXPORT frisket_${set} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
        endif()
    endif()
    install(
        EXPORT frisket_${set}
        FILE frisket_${set}_targets.cmake
        NAMESPACE frisket::
        DESTINATION "${frisket_config_dir}"
    )
endforeach()

cmake_path(GET FRISKET_SQLITE_LIBRARY PARENT_PATH frisket_sqlite_dir)
if(TARGET frisket_command)
    # It looks for its libraries where they were when it was built: CMake would leave out what lies below this folder.
    set_target_properties(
        frisket_command PROPERTIES INSTALL_RPATH "$<TARGET_FILE_DIR:Halide::Halide>;${frisket_sqlite_dir}"
    )
    install(TARGETS frisket_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file(
    cmake/frisketConfig.cmake.in
    "${PROJECT_BINARY_DIR}/frisketConfig.cmake"
    INSTALL_DESTINATION "${frisket_config_dir}"
    NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/frisketConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
    FILES "${PROJECT_BINARY_DIR}/frisketConfig.cmake" "${PROJECT_BINARY_DIR}/frisketConfigVersion.cmake"
    DESTINATION "${frisket_config_dir}"
)
install(FILES cmake/frisket_add_kernels.cmake DESTINATION "${frisket_config_dir}")
