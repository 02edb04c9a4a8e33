# SPDX-License-Identifier: MIT
# Finds Halide, the header of DLPack, SQLite, the header of xxHash and MPI: those named by Halide_DIR,
# FRISKET_DLPACK_INCLUDE_DIR and so on, those that ./dev setup fetched, those of a source distribution (python/vendor) and of the wheels
# that it is built with, or the system's, in this order.
# What else ./dev setup unpacked is put in front of what the system has.

set(frisket_deps "${PROJECT_SOURCE_DIR}/.deps")
if(IS_DIRECTORY "${frisket_deps}/root/usr")
    list(PREPEND CMAKE_PREFIX_PATH "${frisket_deps}/root/usr")
endif()
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/python/vendor")
    list(PREPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/python/vendor")
endif()
# Folders of wheels.
set(frisket_wheels "${frisket_deps}/venv/lib/python3*/site-packages" ${CMAKE_PREFIX_PATH})
if(NOT Halide_DIR)
    list(TRANSFORM frisket_wheels APPEND "/halide/lib64/cmake/Halide" OUTPUT_VARIABLE folders)
    file(GLOB frisket_halide ${folders})
    if(frisket_halide)
        list(GET frisket_halide 0 frisket_halide)
        set(Halide_DIR "${frisket_halide}" CACHE PATH "Where HalideConfig.cmake is")
    endif()
endif()

if(FRISKET_COMPILER)
    set(CMAKE_DISABLE_FIND_PACKAGE_Halide_Python ON)
    find_package(Halide 21 CONFIG QUIET COMPONENTS Halide shared)
    if(NOT Halide_FOUND)
        message(FATAL_ERROR "frisket: Halide 21 was not found: run ./dev setup, or name its place with -DHalide_DIR=…/cmake/Halide")
    endif()
    # Under a name of ours: installed targets know it by that (frisket_find_halide.cmake).
    add_library(frisket::halide INTERFACE IMPORTED)
    set_target_properties(frisket::halide PROPERTIES INTERFACE_LINK_LIBRARIES Halide::Halide)
    set(FRISKET_HALIDE_INCLUDE_DIR "$<TARGET_PROPERTY:Halide::Halide,INTERFACE_INCLUDE_DIRECTORIES>")
else()
    # The header of Halide's runtime, for whichever processor.
    find_path(FRISKET_HALIDE_INCLUDE_DIR HalideRuntime.h HINTS "${Halide_DIR}/../../../include" NO_CMAKE_FIND_ROOT_PATH DOC "Where HalideRuntime.h is")
    if(NOT FRISKET_HALIDE_INCLUDE_DIR)
        message(FATAL_ERROR "frisket: HalideRuntime.h was not found: run ./dev setup, or name its place with -DFRISKET_HALIDE_INCLUDE_DIR=…")
    endif()
endif()
find_package(Threads REQUIRED)

# Checks if a folder has DLPack 1.x.  Only sources include it: users of an installed frisket need none.
function(frisket_has_dlpack_1 result folder)
    file(STRINGS "${folder}/dlpack/dlpack.h" version REGEX "^#define DLPACK_MAJOR_VERSION 1$")
    if(NOT version)
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()
list(TRANSFORM frisket_wheels APPEND "/tvm_ffi/include" OUTPUT_VARIABLE folders)
file(GLOB frisket_dlpack ${folders})
find_path(
    FRISKET_DLPACK_INCLUDE_DIR
    dlpack/dlpack.h
    HINTS ${frisket_dlpack}
    VALIDATOR frisket_has_dlpack_1
    NO_CMAKE_FIND_ROOT_PATH
    DOC "Where dlpack/dlpack.h is"
)
if(NOT FRISKET_DLPACK_INCLUDE_DIR)
    message(
        FATAL_ERROR
        "frisket: dlpack/dlpack.h 1.x was not found: run ./dev setup, or name its place with -DFRISKET_DLPACK_INCLUDE_DIR=…/include"
    )
endif()

# The header of xxHash, and SQLite for the tuning database.
find_path(FRISKET_XXHASH_INCLUDE_DIR xxhash.h NO_CMAKE_FIND_ROOT_PATH DOC "Where xxhash.h is")
set(frisket_headers_wanted FRISKET_XXHASH_INCLUDE_DIR)
if(FRISKET_COMPILER)
    if(SKBUILD)
        set(inside libsqlite3.a)  # a wheel brings no other library
    endif()
    find_library(FRISKET_SQLITE_LIBRARY NAMES ${inside} sqlite3 NAMES_PER_DIR DOC "SQLite 3")
    find_path(FRISKET_SQLITE_INCLUDE_DIR sqlite3.h DOC "Where sqlite3.h is")
    list(APPEND frisket_headers_wanted FRISKET_SQLITE_LIBRARY FRISKET_SQLITE_INCLUDE_DIR)
endif()
foreach(wanted IN LISTS frisket_headers_wanted)
    if(NOT ${wanted})
        message(FATAL_ERROR "frisket: SQLite 3 and xxhash.h are needed: run ./dev setup, or install libsqlite3-dev and libxxhash-dev")
    endif()
endforeach()
if(FRISKET_COMPILER)
    add_library(frisket::sqlite UNKNOWN IMPORTED)
    set_target_properties(frisket::sqlite PROPERTIES IMPORTED_LOCATION "${FRISKET_SQLITE_LIBRARY}")
endif()

# An MPI, for frisket::mpi; without one, nothing else is missing.
file(GLOB frisket_fetched_mpi "${frisket_deps}/venv/bin/mpicc")
if(frisket_fetched_mpi AND NOT MPI_HOME AND NOT MPI_C_COMPILER)
    set(MPI_HOME "${frisket_deps}/venv")
endif()
find_package(MPI 3.1 QUIET COMPONENTS C)

if(FRISKET_CCACHE)
    find_program(FRISKET_CCACHE_PROGRAM ccache PATHS "${frisket_deps}/bin" NO_DEFAULT_PATH NO_CACHE)
    find_program(FRISKET_CCACHE_PROGRAM ccache NO_CMAKE_PATH NO_CACHE)
    if(FRISKET_CCACHE_PROGRAM)
        # Without these a precompiled header is never found again.
        set(frisket_launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${FRISKET_CCACHE_PROGRAM}")
        set(CMAKE_C_COMPILER_LAUNCHER "${frisket_launcher}")
        set(CMAKE_CXX_COMPILER_LAUNCHER "${frisket_launcher}")
    endif()
endif()
