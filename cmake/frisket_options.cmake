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

# frisket_library(TARGET NAME): what both libraries share; installed and exported as frisket::NAME.
function(frisket_library target name)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(
        ${target}
        PUBLIC "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>" "$<INSTALL_INTERFACE:include>"
    )
endfunction()

# frisket_in_batches(TARGET): where the build is to be quick, some sources are compiled as one, so that what they include and the
# templates that they share are compiled once.  Names of a source must differ from those of its neighbours.
function(frisket_in_batches target)
    if(FRISKET_QUICK_TO_COMPILE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
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
