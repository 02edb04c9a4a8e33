# SPDX-License-Identifier: MIT

# Tests have a folder for compiled loops of their own, which other sources leave as it is: results tuned by a user, and loops on
# the user's disk, must not be what is tested.  So tests compile once what has changed, and a second run is short.
set(frisket_test_loops "${PROJECT_BINARY_DIR}/jit")

# Two sizes: `./dev test` leaves out tests whose label ends in -full, `./dev test full` those whose label ends in -sample,
# which are a part of one that is full.

# frisket_test_size(SIZE NAME...): makes tests full, or samples.
function(frisket_test_size size)
    foreach(test IN LISTS ARGN)
        get_test_property("${test}" LABELS label)
        set_tests_properties("${test}" PROPERTIES LABELS "${label}-${size}")
    endforeach()
endfunction()

# frisket_tests_apart(FOLDER): the same for all tests of a folder.
function(frisket_tests_apart folder)
    get_property(tests DIRECTORY "${folder}" PROPERTY TESTS)
    foreach(test IN LISTS tests)
        set_tests_properties(
            "${test}"
            DIRECTORY "${folder}"
            PROPERTIES ENVIRONMENT "FRISKET_TUNING_DB=off;FRISKET_CACHE_DIR=${frisket_test_loops}"
        )
    endforeach()
endfunction()

# frisket_test(NAME SOURCES a.cpp... LABELS label [LINK library...] [TIMEOUT seconds] [WITHOUT_COMPILER])
# A program of Catch2 tests; each TEST_CASE is a test of ctest, named "label: its sentence", and full if it has the tag [full].
function(frisket_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT_COMPILER" "TIMEOUT" "SOURCES;LABELS;LINK")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 1200)
    endif()
    add_executable(${name} ${arg_SOURCES})
    frisket_in_batches(${name})
    target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain ${arg_LINK})
    if(NOT arg_WITHOUT_COMPILER)
        target_link_libraries(${name} PRIVATE frisket::frisket)
    endif()
    list(GET arg_LABELS 0 label)
    foreach(size IN ITEMS "" -full)
        set(cases "~[full]")
        if(size)
            set(cases "[full]")
        endif()
        # A test that cannot run here says SKIP and why: Catch2 then ends with 4.
        catch_discover_tests(
            ${name}
            TEST_SPEC "${cases}"
            TEST_PREFIX "${label}: "
            DISCOVERY_MODE PRE_TEST
            PROPERTIES
                LABELS "${label}${size}"
                TIMEOUT ${arg_TIMEOUT}
                SKIP_RETURN_CODE 4
                # Two properties: a list would lose its end on the way.
                ENVIRONMENT FRISKET_TUNING_DB=off
                ENVIRONMENT_MODIFICATION "FRISKET_CACHE_DIR=set:${frisket_test_loops}"
        )
    endforeach()
endfunction()

# frisket_script_test(SENTENCE SCRIPT script.py [ARGS...] LABELS label): a Python script that ends with 0 if all is well.
function(frisket_script_test sentence)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT" "ARGS;LABELS")
    add_test(
        NAME "${arg_LABELS}: ${sentence}"
        COMMAND Python3::Interpreter -B "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT}" ${arg_ARGS}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    )
    set_tests_properties("${arg_LABELS}: ${sentence}" PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1200)
endfunction()
