# SPDX-License-Identifier: MIT
# Tests, their sizes, and what they cost.
#
# A test has a label, the name of its folder, and a size: `quick` tests run in ./dev test, quick and `full` ones in ./dev test full,
# all in ./dev test deep.  CTest knows both as one label, LABEL-SIZE.  A test is full unless it is put into another size.
# Programs are built for the smallest size of their tests: the targets frisket_quick, frisket_full and all.

# Loops that tests compile are cached here: a second run is short.  Tuning records and loops of the user are not used.
set(frisket_test_loops "${PROJECT_BINARY_DIR}/jit")

# The launcher records the CPU seconds of each command: tests/budgets/budgets.tsv holds their limits.
set(frisket_usage "${PROJECT_BINARY_DIR}/usage")
file(MAKE_DIRECTORY "${frisket_usage}")
set(frisket_measured "${PROJECT_SOURCE_DIR}/tools/measured.sh" "${frisket_usage}/tests.tsv")

# Programs of a size, and of smaller ones; the target `all` has those of the size deep.
add_custom_target(frisket_quick)
add_custom_target(frisket_full)

# frisket_label_target(LABEL): makes the target of a label, once; a label without programs has one too.
function(frisket_label_target label)
    if(NOT TARGET tests_${label})
        add_custom_target(tests_${label})
    endif()
endfunction()

# frisket_built_for(LABEL SIZE TARGET...): builds targets for the tests of a label, tests_LABEL, and of a size and the larger ones.
function(frisket_built_for label size)
    frisket_label_target(${label})
    set(sizes tests_${label})
    if(size STREQUAL quick)
        list(APPEND sizes frisket_quick)
    endif()
    if(size MATCHES "^(quick|full)$")
        list(APPEND sizes frisket_full)
    endif()
    foreach(target IN LISTS sizes)
        add_dependencies(${target} ${ARGN})
    endforeach()
endfunction()

# frisket_label(LABEL SIZE TEST...): puts tests into a label and a size.
function(frisket_label label size)
    if(NOT size MATCHES "^(quick|full|deep)$")
        message(FATAL_ERROR "frisket: ${ARGN}: size \"${size}\": write quick, full or deep")
    endif()
    frisket_label_target(${label})
    foreach(test IN LISTS ARGN)
        set_tests_properties("${test}" PROPERTIES LABELS "${label}-${size}")
    endforeach()
endfunction()

# frisket_tests_apart(FOLDER): tests of a folder use the cache of test loops, and no tuning records.
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

# frisket_command_test(NAME LABEL label SIZE size [PROGRAM target] COMMAND word...): a test that is a command.
# Its program, if named, is the command's first word and built for the size.
function(frisket_command_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;SIZE;PROGRAM" "COMMAND")
    if(arg_PROGRAM)
        list(PREPEND arg_COMMAND "$<TARGET_FILE:${arg_PROGRAM}>")
        frisket_built_for(${arg_LABEL} ${arg_SIZE} ${arg_PROGRAM})
    endif()
    add_test(NAME "${name}" COMMAND ${frisket_measured} "${arg_LABEL}-${arg_SIZE}	${name}" ${arg_COMMAND})
    frisket_label(${arg_LABEL} ${arg_SIZE} "${name}")
endfunction()

# frisket_script_test(SENTENCE SCRIPT script.py [ARGS word...] LABEL label [SIZE size]): a Python script that ends with 0 if all
# is well.
function(frisket_script_test sentence)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT;LABEL;SIZE" "ARGS")
    if(NOT arg_SIZE)
        set(arg_SIZE full)
    endif()
    set(test "${arg_LABEL}: ${sentence}")
    frisket_command_test(
        "${test}"
        LABEL ${arg_LABEL}
        SIZE ${arg_SIZE}
        COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT}" ${arg_ARGS}
    )
    set_tests_properties("${test}" PROPERTIES WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" TIMEOUT 1200)
endfunction()

# frisket_test(NAME LABEL label [SIZE size] SOURCES a.cpp... [LINK library...] [TIMEOUT seconds] [WITHOUT_COMPILER])
# A program of Catch2 tests, built for a size, full unless said.  Each TEST_CASE is a test of ctest, named "label: its sentence".
# Its size is the program's, or a larger one that the case has as a tag, [full] or [deep].
function(frisket_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT_COMPILER" "TIMEOUT;LABEL;SIZE" "SOURCES;LINK")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 1200)
    endif()
    if(NOT arg_SIZE)
        set(arg_SIZE full)
    endif()
    add_executable(${name} ${arg_SOURCES})
    frisket_built_for(${arg_LABEL} ${arg_SIZE} ${name})
    frisket_measured_as(tests-${arg_SIZE} TARGETS ${name})
    frisket_in_batches(${name})
    target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain ${arg_LINK})
    if(NOT arg_WITHOUT_COMPILER)
        target_link_libraries(${name} PRIVATE frisket::frisket)
    endif()
    set(cases_quick "~[full]~[deep]")
    set(cases_full "[full]~[deep]")
    set(cases_deep "[deep]")
    set(sizes quick full deep)
    if(NOT arg_SIZE STREQUAL quick)
        set(cases_full "~[deep]")
        list(REMOVE_ITEM sizes quick)
    endif()
    if(arg_SIZE STREQUAL deep)
        set(cases_deep "*")
        set(sizes deep)
    endif()
    foreach(size IN LISTS sizes)
        # Catch.cmake starts the program by this launcher.
        set_target_properties(${name} PROPERTIES CROSSCOMPILING_EMULATOR "${frisket_measured};${arg_LABEL}-${size}")
        # A test that cannot run here says SKIP and why: Catch2 then ends with 4.
        catch_discover_tests(
            ${name}
            TEST_SPEC "${cases_${size}}"
            TEST_PREFIX "${arg_LABEL}: "
            DISCOVERY_MODE PRE_TEST
            PROPERTIES
                LABELS "${arg_LABEL}-${size}"
                TIMEOUT ${arg_TIMEOUT}
                SKIP_RETURN_CODE 4
                # Two properties: a list would lose its end on the way.
                ENVIRONMENT FRISKET_TUNING_DB=off
                ENVIRONMENT_MODIFICATION "FRISKET_CACHE_DIR=set:${frisket_test_loops}"
        )
    endforeach()
endfunction()
