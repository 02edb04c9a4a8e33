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
# included.  Without it all tensors have one shape, of 1 to 4 dimensions.  Calls of other dimensions are right, and slow:
# their bodies are interpreted.
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

    # The compiler of these steps: a program of the build.
    set(rows "")
    foreach(step IN LISTS arg_STEPS arg_FUNCTIONS)
        _frisket_qualified("${step}" step)
        string(APPEND rows "        FRISKET_STEP(${step}),\n")
    endforeach()
    set(optimizers "")
    foreach(optimizer IN LISTS arg_OPTIMIZERS)
        _frisket_qualified("${optimizer}" optimizer)
        string(APPEND optimizers "        FRISKET_OPTIMIZER(${optimizer}),\n")
    endforeach()
    set(expressions "")
    foreach(expression IN LISTS arg_EXPRESSIONS)
        _frisket_qualified("${expression}" expression)
        string(APPEND expressions "        FRISKET_EXPRESSION(${expression}),\n")
    endforeach()
    if(TARGET frisket::tuner)
        _frisket_kernels_program(tune "tune(\"${name}\", argc, argv, {\n${rows}    }, {\n${expressions}    })" frisket::tuner)
    endif()
    if(NOT arg_STEPS AND NOT arg_FUNCTIONS AND NOT arg_OPTIMIZERS)
        if(NOT TARGET frisket::tuner)
            message(FATAL_ERROR "frisket: ${name}: expressions are tuned by frisket::tuner, which this frisket was built without: build it with its tools, or leave EXPRESSIONS out")
        endif()
        return()
    endif()
    _frisket_kernels_program(compile "compile(argc, argv, {\n${rows}    }, {\n${optimizers}    })" frisket::frisket)
    set_target_properties(${name}_compile PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${dir}")

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
    if(arg_TARGETS MATCHES "(^|;)(opencl|cuda)(;|$)")
        list(APPEND objects "${dir}/${name}_devices.o")  # the runtime that drives them
        set(index 0)
        foreach(target IN LISTS arg_TARGETS)
            if(target MATCHES "^(opencl|cuda)$")
                list(APPEND objects "${dir}/${name}_devices_${index}.o")
            endif()
            math(EXPR index "${index} + 1")
        endforeach()
    endif()
    set(headers "${dir}/include/${name}.hpp" "${dir}/include/${name}.h")
    list(JOIN arg_STEPS ", " steps)
    list(JOIN arg_FUNCTIONS ", " functions)
    list(JOIN arg_OPTIMIZERS ", " optimizers)
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
        COMMENT "Compiling kernels ${name}: ${steps} ${functions} ${optimizers}"
        VERBATIM
    )
    # Files that did not change stay as they are, so that what is made of them stays too.
    add_custom_target(${name}_kernels DEPENDS "${dir}/${name}.stamp")
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set_source_files_properties(${sources} ${headers} PROPERTIES GENERATED TRUE)
    if(arg_SHARED)
        _frisket_shared_kernels()
    else()
        add_library(${name} STATIC ${sources} ${objects} ${headers})
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
    target_link_libraries(${name} PRIVATE frisket::plans)
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

# The program NAME_WHAT: a main function that gives what a function of frisket::aot gives.
function(_frisket_kernels_program what call library)
    string(
        CONCAT main
        "// Made by frisket_add_kernels.\n#include <frisket/aot.hpp>\n\n#include \"${header}\"\n\n"
        "int main(int argc, char** argv) {\n    return frisket::aot::${call};\n}\n"
    )
    file(CONFIGURE OUTPUT "${dir}/${what}.cpp" CONTENT "${main}" @ONLY)
    add_executable(${name}_${what} EXCLUDE_FROM_ALL "${dir}/${what}.cpp")
    target_link_libraries(${name}_${what} PRIVATE ${library})
endfunction()

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
