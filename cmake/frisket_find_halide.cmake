# SPDX-License-Identifier: MIT
# The target frisket::halide: libHalide 21 for those who use an installed frisket.  It is imported by its path, as frisket's
# headers need none of Halide's, and Halide's own package wants a newer CMake than frisket does.  In this order: the
# project's Halide::Halide, FRISKET_HALIDE_LIBRARY, the folder of HalideConfig.cmake that Halide_DIR names (a variable of
# CMake or of the environment), what CMake finds, the wheel that python3 finds.  Without one frisket_halide_message says why.

set(frisket_halide_message "")
if(NOT TARGET frisket::halide AND TARGET Halide::Halide)
    add_library(frisket::halide INTERFACE IMPORTED)
    set_target_properties(frisket::halide PROPERTIES INTERFACE_LINK_LIBRARIES Halide::Halide)
endif()

if(NOT TARGET frisket::halide AND NOT FRISKET_HALIDE_LIBRARY)
    set(frisket_halide_dirs "")
    foreach(dir IN ITEMS "${Halide_DIR}" "$ENV{Halide_DIR}")
        if(dir)
            list(APPEND frisket_halide_dirs "${dir}/../..")
        endif()
    endforeach()
    find_library(FRISKET_HALIDE_LIBRARY Halide HINTS ${frisket_halide_dirs} PATH_SUFFIXES lib64 DOC "libHalide 21")
    if(NOT FRISKET_HALIDE_LIBRARY)
        execute_process(
            COMMAND
                python3 -c
                "import importlib.util as u; s = u.find_spec('halide'); print(s.submodule_search_locations[0] if s else '')"
            OUTPUT_VARIABLE frisket_halide_wheel
            OUTPUT_STRIP_TRAILING_WHITESPACE
            ERROR_QUIET
        )
        if(frisket_halide_wheel)
            find_library(FRISKET_HALIDE_LIBRARY Halide PATHS "${frisket_halide_wheel}/lib64" "${frisket_halide_wheel}/lib" NO_DEFAULT_PATH)
        endif()
    endif()
    mark_as_advanced(FRISKET_HALIDE_LIBRARY)
endif()

if(NOT TARGET frisket::halide)
    set(frisket_halide_wanted "say python3 -m pip install halide==21.0.0, or name the folder of HalideConfig.cmake with -DHalide_DIR=…")
    if(NOT FRISKET_HALIDE_LIBRARY)
        set(frisket_halide_message "Halide 21 was not found: ${frisket_halide_wanted}; ready kernels alone need none: COMPONENTS runtime")
    else()
        # Its version is said beside it.
        cmake_path(GET FRISKET_HALIDE_LIBRARY PARENT_PATH frisket_halide_dir)
        set(frisket_halide_version "")
        if(EXISTS "${frisket_halide_dir}/cmake/Halide/HalideConfigVersion.cmake")
            file(STRINGS "${frisket_halide_dir}/cmake/Halide/HalideConfigVersion.cmake" frisket_halide_version REGEX "^set\\(PACKAGE_VERSION ")
        endif()
        if(frisket_halide_version AND NOT frisket_halide_version MATCHES "\"21[.\"]")
            string(REGEX REPLACE "^.*\"(.*)\".*$" "\\1" frisket_halide_version "${frisket_halide_version}")
            set(frisket_halide_message "${FRISKET_HALIDE_LIBRARY} is Halide ${frisket_halide_version}, wanted Halide 21: ${frisket_halide_wanted}")
        else()
            add_library(frisket::halide SHARED IMPORTED)
            set_target_properties(frisket::halide PROPERTIES IMPORTED_LOCATION "${FRISKET_HALIDE_LIBRARY}")
        endif()
    endif()
endif()
