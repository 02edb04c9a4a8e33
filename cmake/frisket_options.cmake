# SPDX-License-Identifier: MIT
# How our own code is compiled.  Users of the libraries get nothing of this but C++20.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endif()

# No fused multiply-add that the source does not ask for: results are the same on every compiler.
add_compile_options(-Wall -Wextra -ffp-contract=off)
# A release names no folder of the machine that made it.
add_compile_options("$<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=frisket>")

# A unit has what it allocates collected once it has 512 MB, where the build is to be quick: g++ would collect from 128 MB on, which
# takes a tenth of its time.
if(FRISKET_QUICK_TO_COMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=524288>")
endif()

# frisket_library(TARGET NAME): what both libraries share; installed and exported as frisket::NAME.
function(frisket_library target name)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(
        ${target}
        PUBLIC "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>" "$<INSTALL_INTERFACE:include>"
    )
endfunction()

# frisket_in_batches(TARGET [SIZE]): where the build is to be quick, so many sources are compiled as one, so that what they include
# and the templates that they share are compiled once.  Names of a source must differ from those of its neighbours.
function(frisket_in_batches target)
    set(size 12)
    if(ARGC GREATER 1)
        set(size ${ARGV1})
    endif()
    if(FRISKET_QUICK_TO_COMPILE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${size})
    endif()
endfunction()

# frisket_precompiled(TARGET PRIVATE HEADER... | REUSE_FROM OTHER): where the build is to be quick, what most sources include is parsed
# once, for one library or for several.  Sources include it all the same: other builds have no such header.
function(frisket_precompiled target)
    if(FRISKET_QUICK_TO_COMPILE)
        target_precompile_headers(${target} ${ARGN})
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            target_compile_options(${target} PRIVATE -fpch-preprocess)  # so that ccache knows what is in it
        endif()
    endif()
endfunction()

# frisket_release_option(TARGET OPTION SOURCE...): an option of some sources of a release.  Other builds know nothing of it, as a
# source with options of its own is in no batch.
function(frisket_release_option target option)
    if(CMAKE_BUILD_TYPE STREQUAL Release OR CMAKE_CONFIGURATION_TYPES)
        set_property(
            SOURCE ${ARGN}
            TARGET_DIRECTORY ${target}
            APPEND
            PROPERTY COMPILE_OPTIONS "$<$<CONFIG:Release>:${option}>"
        )
    endif()
endfunction()

# frisket_release_rooms(TARGET OPTION FOLDER...): that option for all sources of a target in folders of the current one, whatever their
# names.
function(frisket_release_rooms target option)
    get_target_property(sources ${target} SOURCES)
    foreach(room IN LISTS ARGN)
        set(files ${sources})
        list(FILTER files INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${room}/[^/]+[.]cpp$")
        frisket_release_option(${target} ${option} ${files})
    endforeach()
endfunction()

# frisket_small(TARGET LEVEL): code outside of loops over data is optimised at this level in a release, which halves its size.
function(frisket_small target level)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${level}>")
endfunction()

# frisket_measured_as(GROUP [TARGETS target...] [FOLDER folder]): commands that build these targets, or all targets of a folder and
# of those below it, are recorded as a group of tests/budgets/budgets.tsv.
function(frisket_measured_as group)
    if(NOT FRISKET_MEASURED)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "TARGETS")
    set(scope DIRECTORY ${arg_FOLDER})
    if(arg_TARGETS)
        set(scope TARGET ${arg_TARGETS})
    endif()
    set(launcher "\"${PROJECT_SOURCE_DIR}/tools/measured.sh\" \"${PROJECT_BINARY_DIR}/usage/build.tsv\" \"${group}\t<TARGET_NAME>\"")
    foreach(rule IN ITEMS COMPILE LINK CUSTOM)
        set_property(${scope} PROPERTY RULE_LAUNCH_${rule} "${launcher}")
    endforeach()
endfunction()
