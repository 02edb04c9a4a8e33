# SPDX-License-Identifier: MIT
# frisket_add_kernels(NAME [SHARED [VERSION 1.2.3]]
#                     STEPS step… FUNCTIONS function… OPTIMIZERS optimizer… FROM header.hpp [NAMESPACE ns]
#                     LAYOUTS layout… [SHAPES "symbol=extent,… …"…]
#                     [TARGETS target…]
#                     [SCHEDULES tuned.tsv]
#                     [EXPRESSIONS expression…])
# compiles steps and functions ahead of time into a library, the target NAME, which needs no compiler at run time:
#     NAME.h     C: NAME_STEP(&(NAME_STEP_args){.param = &p, …}), error codes, NAME_last_error()
#     NAME.hpp   C++, static libraries: NAME::STEP(param = p, …), called with named arguments
# The header is compiled once, into the library NAME_steps.  The program NAME_compile links it, plans each step for all
# SHAPES and LAYOUTS to find the loops that calls need, compiles these, and writes sources that are tables of plain data.
# The library NAME consists of the loops, the tables, and what they refer to of NAME_steps.
# A SHARED library exports the functions of NAME.h alone, has the first number of VERSION (1) in its soname, and carries a
# runtime and threads of its own, so that n of them in a program have n pools of threads; static ones share one.
# and a program, the target NAME_tune, which is `frisket tune` for these steps and functions; it is built when asked for,
# where frisket was built with its tools.
# EXPRESSIONS are variables of the header too: expressions of symbols, which NAME_tune tunes for the programs that evaluate
# them, eval(…) of the same operations on tensors.  They are not compiled ahead of time: without STEPS, which needs no
# LAYOUTS then, there is the program NAME_tune alone.
# STEPS are variables of the header, which is ordinary C++ and includes <frisket/dsl.hpp>; in a namespace they are
# written ns::step, or NAMESPACE says it for all.
# OPTIMIZERS are variables of the header of type frisket::optim::OptimizerKernels, a rule with the settings and dtypes that
# it is compiled for.  NAME.hpp has NAME::kernels then, all loops of the library: Optimizer({.kernels = NAME::kernels}, rule,
# parameters) runs without a compiler.  They are C++ alone: of static libraries.
# LAYOUTS: dense, strided, bitmask, coo, csr, csc, bsr, bsc, rows, two_four, for each Masked symbol; or
# grad=coo,mask=strided.  Not needed by steps without a Masked symbol.
# SHAPES: of steps with operations on whole tensors, the dimensions that their loops are made for: a name or a number for
# each extent of each tensor, "param=rows,dim grad=rows,dim state_sum=rows,1", or with the name of a step in
# front, "loss: u=rows,rank".  Extents with names are free in calls, 1
# included.  Without it all tensors have one shape, of 1 to 4 dimensions.  Calls of other dimensions are refused.
# TARGETS: host (the default: this machine's processor), names of frisket's targets or Halide's target strings, in any
# order; a program takes the best that its processor can run.  opencl and cuda, beside one of a processor: kernels for
# tensors of these devices, device("opencl") in C++ and NAME_device_malloc in C; a machine without them refuses in words.
# SCHEDULES: a file of `frisket tuning export`.  Its records of these steps, or of bodies of their plans (compared as
# graphs), targets (host is recorded as cpu) and layouts give loops beside the default's, of which each call takes those
# that were the fastest for calls like it; the machine and build that found them are not compared, as schedules change no
# result.  Records of other steps, targets and layouts are ignored; of the schedules of a strategy, in a step for a target,
# the four that gained most are compiled.
#
# In a project that is cross-compiled, the command `frisket` of this machine compiles them: frisket_cross_kernels.cmake.

include("${CMAKE_CURRENT_LIST_DIR}/frisket_cross_kernels.cmake")

function(frisket_add_kernels name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED" "FROM;NAMESPACE;SCHEDULES;VERSION" "STEPS;FUNCTIONS;OPTIMIZERS;EXPRESSIONS;LAYOUTS;SHAPES;TARGETS")
    _frisket_check_kernels()
    set(dir "${CMAKE_CURRENT_BINARY_DIR}/${name}.kernels")
    get_filename_component(header "${arg_FROM}" ABSOLUTE)
    get_filename_component(header_name "${header}" NAME)
    get_filename_component(header_dir "${header}" DIRECTORY)
    if(arg_SHARED AND NOT DEFINED arg_VERSION)
        set(arg_VERSION 1)
    endif()
    if(CMAKE_CROSSCOMPILING)
        _frisket_cross_kernels()
        return()
    endif()
    if(NOT arg_TARGETS)
        set(arg_TARGETS host)
    endif()

    set(steps "")  # names of the header
    set(rows "")
    foreach(step IN LISTS arg_STEPS arg_FUNCTIONS)
        _frisket_qualified("${step}" step)
        list(APPEND steps "${step}")
        string(APPEND rows "        FRISKET_STEP(${step}),\n")
    endforeach()
    set(optimizers "")
    foreach(optimizer IN LISTS arg_OPTIMIZERS)
        _frisket_qualified("${optimizer}" optimizer)
        list(APPEND optimizers "${optimizer}")
    endforeach()
    set(expressions "")
    foreach(expression IN LISTS arg_EXPRESSIONS)
        _frisket_qualified("${expression}" expression)
        string(APPEND expressions "        FRISKET_EXPRESSION(${expression}),\n")
    endforeach()
    if(TARGET frisket::tuner)
        _frisket_tuning_program()
    endif()
    if(NOT arg_STEPS AND NOT arg_FUNCTIONS AND NOT arg_OPTIMIZERS)
        if(NOT TARGET frisket::tuner)
            message(FATAL_ERROR "frisket: ${name}: expressions are tuned by frisket::tuner, which this frisket was built without: build it with its tools, or leave EXPRESSIONS out")
        endif()
        return()
    endif()
    _frisket_steps_library()
    _frisket_compiling_program()

    set(shared "")
    if(arg_SHARED)
        set(shared --shared "${arg_VERSION}")
    endif()
    set(shapes "")
    if(arg_SHAPES)
        set(shapes --shapes ${arg_SHAPES})
    endif()

    # Files that it makes, and the library of them.
    set(objects "")
    set(sources "${dir}/${name}_library.cpp")
    foreach(step IN LISTS arg_STEPS arg_FUNCTIONS arg_OPTIMIZERS)
        string(REGEX REPLACE "^.*::" "" step "${step}")
        list(APPEND sources "${dir}/${name}_${step}.cpp")
        set(index 0)
        foreach(target IN LISTS arg_TARGETS)
            list(APPEND objects "${dir}/${name}_${step}_${index}.o")
            math(EXPR index "${index} + 1")
        endforeach()
    endforeach()
    # Devices have names of one word, as has the processor that builds.
    set(processor "^(cpu|host)$|-")
    set(devices "${arg_TARGETS}")
    list(FILTER devices EXCLUDE REGEX "${processor}")
    if(devices)
        list(APPEND objects "${dir}/${name}_devices.o")  # the runtime that drives them
        set(index 0)
        foreach(target IN LISTS arg_TARGETS)
            if(NOT target MATCHES "${processor}")
                list(APPEND objects "${dir}/${name}_devices_${index}.o")
            endif()
            math(EXPR index "${index} + 1")
        endforeach()
    endif()
    set(headers "${dir}/include/${name}.hpp" "${dir}/include/${name}.h")
    set(names ${arg_STEPS} ${arg_FUNCTIONS} ${arg_OPTIMIZERS})
    list(JOIN names ", " names)
    set(schedules "")
    if(arg_SCHEDULES)
        get_filename_component(schedules_file "${arg_SCHEDULES}" ABSOLUTE)
        set(schedules --schedules "${schedules_file}")
    endif()
    add_custom_command(
        OUTPUT "${dir}/${name}.stamp"
        BYPRODUCTS ${objects} ${sources} ${headers} "${dir}/${name}.map" "${dir}/${name}.pc"
        COMMAND
            ${name}_compile --name ${name} --header "${header_name}" --out "${dir}" --layouts ${arg_LAYOUTS} --targets
            ${arg_TARGETS} ${shapes} ${schedules} ${shared}
        COMMAND "${CMAKE_COMMAND}" -E touch "${dir}/${name}.stamp"
        DEPENDS ${name}_compile ${schedules_file}
        COMMENT "Compiling kernels ${name}: ${names}"
        VERBATIM
    )
    # Files that did not change stay as they are, so that what is made of them stays too.
    add_custom_target(${name}_kernels DEPENDS "${dir}/${name}.stamp")
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set_source_files_properties(${sources} ${headers} PROPERTIES GENERATED TRUE)
    if(arg_SHARED)
        _frisket_shared_kernels()
    else()
        add_library(${name} STATIC ${sources} ${objects} ${headers} $<TARGET_OBJECTS:${name}_steps>)
        target_link_libraries(${name} PUBLIC frisket::plans)
        if(arg_OPTIMIZERS)
            target_link_libraries(${name} PUBLIC frisket::optim)
        endif()
        # Programs of these kernels hold what they call alone.
        target_link_options(${name} INTERFACE "LINKER:--gc-sections")
    endif()
    add_dependencies(${name} ${name}_kernels)
    target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${dir}/include>" "$<BUILD_INTERFACE:${header_dir}>")
    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        # Numbers of the host come out as they do just in time.
        target_compile_options(${name} PRIVATE -ffp-contract=off)
    endif()
endfunction()

# The library as a shared one: it exports the functions of NAME.h, and carries a runtime and threads of its own.
macro(_frisket_shared_kernels)
    string(REGEX MATCH "^[0-9]+" soversion "${arg_VERSION}")
    add_library(${name} SHARED ${sources} ${objects} ${headers})
    set_target_properties(
        ${name}
        PROPERTIES VERSION "${arg_VERSION}" SOVERSION "${soversion}" LINK_DEPENDS "${dir}/${name}.map"
    )
    target_link_libraries(${name} PRIVATE ${name}_steps frisket::plans)
    target_link_options(
        ${name}
        PRIVATE "LINKER:--version-script=${dir}/${name}.map" "LINKER:--no-undefined" "LINKER:--gc-sections"
    )
    target_include_directories(
        ${name} INTERFACE "$<TARGET_PROPERTY:frisket::runtime,INTERFACE_INCLUDE_DIRECTORIES>"
    )
endmacro()

# A name of the header, as it is written in the global namespace.
function(_frisket_qualified given result)
    if(arg_NAMESPACE)
        string(PREPEND given "::${arg_NAMESPACE}::")
    else()
        string(PREPEND given "::")
    endif()
    set(${result} "${given}" PARENT_SCOPE)
endfunction()

# The steps of the header, compiled once: the library NAME_steps, an object that the program NAME_compile and the library
# NAME have in common.
macro(_frisket_steps_library)
    set(definitions "")
    set(listed "")
    foreach(step IN LISTS steps)
        string(REGEX REPLACE "^.*::" "" last "${step}")
        string(APPEND definitions "extern constinit const frisket::aot::NamedStep ${last} = FRISKET_STEP(${step});\n")
        string(APPEND listed "    &described::${last},\n")
    endforeach()
    string(PREPEND definitions "namespace described {\n")
    string(APPEND definitions "}  // namespace described\n\n")
    set(parts "")
    if(steps)
        string(APPEND definitions "constexpr const frisket::aot::NamedStep* all_steps[] = {\n${listed}};\n")
        list(APPEND parts ".steps = all_steps")
    endif()
    if(optimizers)
        list(JOIN optimizers "),\n    FRISKET_OPTIMIZER(" listed)
        string(
            APPEND definitions
            "constexpr frisket::aot::NamedOptimizer all_optimizers[] = {\n    FRISKET_OPTIMIZER(${listed}),\n};\n"
        )
        list(APPEND parts ".optimizers = all_optimizers")
    endif()
    list(JOIN parts ", " parts)
    string(
        CONCAT text
        "// Made by frisket_add_kernels.\n#include <frisket/aot.hpp>\n\n#include \"${header}\"\n\nnamespace ${name} {\n\n"
        "${definitions}extern constinit const frisket::aot::NamedParts described_parts = {${parts}};\n\n}  // namespace ${name}\n"
    )
    file(CONFIGURE OUTPUT "${dir}/steps.cpp" CONTENT "${text}" @ONLY)
    add_library(${name}_steps STATIC EXCLUDE_FROM_ALL "${dir}/steps.cpp")
    target_link_libraries(${name}_steps PRIVATE frisket::plans)
    if(arg_OPTIMIZERS)
        target_link_libraries(${name}_steps PRIVATE frisket::optim)
    endif()
    if(arg_SHARED)
        set_target_properties(${name}_steps PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        # As in NAME.  Programs keep the steps that they refer to.
        target_compile_options(${name}_steps PRIVATE -ffp-contract=off -ffunction-sections -fdata-sections)
    endif()
endmacro()

# The compiler of the steps: the program NAME_compile of the build.
macro(_frisket_compiling_program)
    string(
        CONCAT text
        "// Made by frisket_add_kernels.\n#include <frisket/aot_tables.hpp>\n\n"
        "namespace ${name} {\nextern const frisket::aot::NamedParts described_parts;\n}  // namespace ${name}\n\n"
        "int main(int argc, char** argv) { return frisket::aot::compile(argc, argv, ${name}::described_parts); }\n"
    )
    file(CONFIGURE OUTPUT "${dir}/compile.cpp" CONTENT "${text}" @ONLY)
    add_executable(${name}_compile EXCLUDE_FROM_ALL "${dir}/compile.cpp")
    target_link_libraries(${name}_compile PRIVATE ${name}_steps frisket::frisket)
    set_target_properties(${name}_compile PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${dir}")
endmacro()

# The program NAME_tune.
macro(_frisket_tuning_program)
    get_property(page_script GLOBAL PROPERTY frisket_page_script)
    string(
        CONCAT text
        "// Made by frisket_add_kernels.\n#include <frisket/aot.hpp>\n\n#include \"${header}\"\n\n"
        "int main(int argc, char** argv) {\n"
        "    return frisket::aot::tune(\"${name}\", argc, argv, {\n${rows}    }, {\n${expressions}    },\n"
        "                              \"${page_script}\");\n}\n"
    )
    file(CONFIGURE OUTPUT "${dir}/tune.cpp" CONTENT "${text}" @ONLY)
    add_executable(${name}_tune EXCLUDE_FROM_ALL "${dir}/tune.cpp")
    target_link_libraries(${name}_tune PRIVATE frisket::tuner)
endmacro()

# Checks that need no compilation.
macro(_frisket_check_kernels)
    set(usage "frisket_add_kernels(NAME [SHARED] STEPS … FUNCTIONS … OPTIMIZERS … FROM header LAYOUTS … SHAPES … TARGETS … SCHEDULES file EXPRESSIONS …)")
    set(identifier "^[A-Za-z_][A-Za-z0-9_]*$")
    if(NOT name MATCHES "${identifier}")
        message(FATAL_ERROR "frisket: \"${name}\" is no name for a kernel library: it becomes a name in C, so letters, digits and _")
    endif()
    if(DEFINED arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "frisket: ${name}: does not know \"${arg_UNPARSED_ARGUMENTS}\": write ${usage}")
    endif()
    if((NOT arg_STEPS AND NOT arg_FUNCTIONS AND NOT arg_OPTIMIZERS AND NOT arg_EXPRESSIONS) OR NOT arg_FROM)
        message(FATAL_ERROR "frisket: ${name}: which steps, and from which header: write ${usage}")
    endif()
    if(NOT TARGET frisket::frisket AND NOT CMAKE_CROSSCOMPILING)
        message(
            FATAL_ERROR
            "frisket: ${name}: compiling kernels needs all of frisket: write find_package(frisket CONFIG REQUIRED) without COMPONENTS runtime, which finds Halide 21, on the machine that compiles them"
        )
    endif()
    get_filename_component(from "${arg_FROM}" ABSOLUTE)
    if(NOT EXISTS "${from}")
        message(FATAL_ERROR "frisket: ${name}: the header ${arg_FROM} is not there")
    endif()
    if(DEFINED arg_SCHEDULES)
        get_filename_component(schedules "${arg_SCHEDULES}" ABSOLUTE)
        if(NOT EXISTS "${schedules}")
            message(FATAL_ERROR "frisket: ${name}: the schedules ${arg_SCHEDULES} are not there: frisket tuning export writes such a file")
        endif()
    endif()
    if(arg_SHARED AND arg_OPTIMIZERS)
        message(FATAL_ERROR "frisket: ${name}: OPTIMIZERS are C++, and a SHARED library exports C functions alone: put them into a library without SHARED")
    endif()
    foreach(step IN LISTS arg_STEPS arg_FUNCTIONS arg_OPTIMIZERS arg_EXPRESSIONS)
        if(NOT step MATCHES "^([A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*$")
            message(FATAL_ERROR "frisket: ${name}: \"${step}\" is no name of a step or expression: write the name of its variable in ${arg_FROM}")
        endif()
        if(step STREQUAL name)
            message(FATAL_ERROR "frisket: ${name}: the library and its step have one name: call the library ${name}_kernels, for instance")
        endif()
    endforeach()
    foreach(word IN LISTS arg_LAYOUTS)
        string(REGEX REPLACE "[A-Za-z_][A-Za-z0-9_]*=" "" layouts "${word}")
        string(REPLACE "," ";" layouts "${layouts}")
        foreach(layout IN LISTS layouts)
            if(NOT layout MATCHES "^(dense|strided|bitmask|coo|csr|csc|bsr|bsc|rows|two_four)$")
                message(
                    FATAL_ERROR
                    "frisket: ${name}: there is no layout \"${layout}\" (LAYOUTS ${word}): there are dense, strided, bitmask, coo, csr, csc, bsr, bsc, rows, two_four"
                )
            endif()
        endforeach()
    endforeach()
endmacro()
