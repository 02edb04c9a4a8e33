# SPDX-License-Identifier: MIT
# The installed tree.  It can be moved, and needs nothing of the folders that it was made in; Halide is found where it is
# used.  Two sets of exported targets, so that a program of ready kernels finds frisket::runtime without Halide.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
include(frisket_installed_texts)

set(frisket_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/frisket")
set(frisket_private_dir "${CMAKE_INSTALL_LIBDIR}/frisket")
set(frisket_data_dir "${CMAKE_INSTALL_DATADIR}/frisket")
set(frisket_installed "${PROJECT_BINARY_DIR}/installed")

# Headers.
foreach(row IN LISTS frisket_user_headers)
    string(REGEX MATCH "^(.*)=(.*)$" row "${row}")
    frisket_installed_header("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" "${frisket_installed}/include/frisket")
endforeach()
install(TARGETS frisket_headers FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/frisket")
install(DIRECTORY "${frisket_installed}/include/frisket" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The source that is compiled with the MPI of the program.
install(FILES mpi/transport.cpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/frisket/mpi")

# Documents with their pictures, and the examples, which are a project of their own.
file(GLOB_RECURSE documents CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/docs/*.md")
file(GLOB_RECURSE pictures CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/docs/*.svg")
list(REMOVE_ITEM documents docs/README.md)
list(APPEND documents README.md CHANGELOG.md NOTICES.md examples/README.md)
file(
    GLOB_RECURSE examples
    CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}"
    "${PROJECT_SOURCE_DIR}/examples/*.[ch]*"
    "${PROJECT_SOURCE_DIR}/examples/*.py"
    "${PROJECT_SOURCE_DIR}/examples/CMakeLists.txt"
    "${PROJECT_SOURCE_DIR}/examples/data/*"
)
list(FILTER examples EXCLUDE REGEX "^examples/(python|tutorial)/")  # the Python package is not installed
foreach(document IN LISTS documents)
    frisket_installed_document(
        "${document}" "${frisket_installed}/documents"
        ${documents} ${pictures} ${examples} LICENSE docs examples examples/06_ahead_of_time
    )
endforeach()
install(DIRECTORY "${frisket_installed}/documents/" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
foreach(file IN LISTS examples pictures)
    cmake_path(GET file PARENT_PATH folder)
    install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}")
endforeach()

# Libraries.
set(frisket_sets runtime)
if(FRISKET_COMPILER)
    list(APPEND frisket_sets frisket)
endif()
foreach(set IN LISTS frisket_sets)
    if(set STREQUAL runtime)
        install(TARGETS frisket_runtime frisket_plans frisket_optim frisket_mpi EXPORT frisket_${set} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    else()
        install(TARGETS frisket_compiler frisket_aot frisket EXPORT frisket_${set} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
        if(TARGET frisket_tuner)
            install(TARGETS frisket_tuner EXPORT frisket_${set} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
            install(
                FILES bench/report.py bench/page_pieces.py bench/tuning_page.py bench/style.css
                DESTINATION "${frisket_data_dir}"
            )
        endif()
    endif()
    install(
        EXPORT frisket_${set}
        FILE frisket_${set}_targets.cmake
        NAMESPACE frisket::
        DESTINATION "${frisket_config_dir}"
    )
endforeach()

# An SQLite that ./dev setup fetched goes along, under the name that programs load it by.
set(frisket_installed_sqlite "")
set(is_fetched FALSE)
if(FRISKET_COMPILER)
    cmake_path(IS_PREFIX frisket_deps "${FRISKET_SQLITE_LIBRARY}" NORMALIZE is_fetched)
endif()
if(is_fetched)
    cmake_path(GET FRISKET_SQLITE_LIBRARY PARENT_PATH folder)
    file(GLOB named "${folder}/libsqlite3.so.[0-9]")
    file(REAL_PATH "${named}" library)
    cmake_path(GET named FILENAME frisket_installed_sqlite)
    install(
        PROGRAMS "${library}"
        DESTINATION "${frisket_private_dir}"
        RENAME "${frisket_installed_sqlite}"
    )
endif()

# The command, and the program that it starts for verbs that compile once it has found libHalide.
if(TARGET frisket_command)
    set(frisket_command_dir "${CMAKE_INSTALL_LIBEXECDIR}/frisket")
    file(RELATIVE_PATH to_private "/${frisket_command_dir}" "/${frisket_private_dir}")
    set_target_properties(frisket_compile PROPERTIES INSTALL_RPATH "$ORIGIN/${to_private}")
    install(TARGETS frisket_compile RUNTIME DESTINATION "${frisket_command_dir}")
    file(RELATIVE_PATH to_private "/${CMAKE_INSTALL_BINDIR}" "/${frisket_private_dir}")
    set_target_properties(frisket_command PROPERTIES INSTALL_RPATH "$ORIGIN/${to_private}")
    install(TARGETS frisket_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# All that is installed, and nothing else of the project.
add_custom_target(frisket_product DEPENDS frisket_runtime frisket_plans frisket_optim frisket_mpi $<TARGET_NAME_IF_EXISTS:frisket_aot> $<TARGET_NAME_IF_EXISTS:frisket_tuner> $<TARGET_NAME_IF_EXISTS:frisket_command>)

# Files that find_package and pkg-config read.
configure_package_config_file(
    cmake/frisketConfig.cmake.in
    "${frisket_installed}/frisketConfig.cmake"
    INSTALL_DESTINATION "${frisket_config_dir}"
    PATH_VARS frisket_private_dir frisket_data_dir
    NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file("${frisket_installed}/frisketConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
    FILES "${frisket_installed}/frisketConfig.cmake" "${frisket_installed}/frisketConfigVersion.cmake"
        cmake/frisket_add_kernels.cmake cmake/frisket_cross_kernels.cmake cmake/frisket_find_halide.cmake
    DESTINATION "${frisket_config_dir}"
)
file(RELATIVE_PATH frisket_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" frisket_prefix "${frisket_prefix}")
function(frisket_pkg_config pc_name pc_description pc_requires pc_libs)
    if(pc_requires)
        set(pc_requires "Requires: ${pc_requires}\n")
    endif()
    configure_file(cmake/frisket.pc.in "${frisket_installed}/frisket-${pc_name}.pc" @ONLY)
    install(FILES "${frisket_installed}/frisket-${pc_name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
frisket_pkg_config(runtime "Values and ready kernels of frisket, without its compiler" "" " -pthread -lstdc++ -lm")
frisket_pkg_config(plans "Kernels of frisket that are planned for each call" frisket-runtime "")
frisket_pkg_config(optim "Optimizers of frisket on ready kernels" frisket-plans "")

# A release, and what is installed with --strip, has no symbols but those that are linked: CMake strips no archives.
string(
    CONFIGURE
    [[
if(CMAKE_INSTALL_DO_STRIP OR CMAKE_INSTALL_CONFIG_NAME STREQUAL "Release")
    file(GLOB archives "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_LIBDIR@/libfrisket*.a")
    set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
    file(GLOB programs "${prefix}/@CMAKE_INSTALL_BINDIR@/frisket" "${prefix}/@frisket_command_dir@/frisket-compile")
    foreach(file IN LISTS archives programs)
        execute_process(COMMAND "@CMAKE_STRIP@" --strip-unneeded "${file}" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
endif()
]]
    strip_code
    @ONLY
)
install(CODE "${strip_code}")
