# SPDX-License-Identifier: MIT
# Kernels for processors of another family, in a project that is cross-compiled with a frisket for these processors
# (FRISKET_COMPILER=OFF): the command `frisket` of this machine compiles them, with the project's compiler for the sources
# around them.  FRISKET_COMMAND names the command; FRISKET_BUILD_COMPILER this machine's C++ compiler, else it is c++.

# The library NAME of frisket_add_kernels, from the arguments of its caller.
macro(_frisket_cross_kernels)
    _frisket_check_cross()
    set(made "${dir}/lib/lib${name}.a")
    set(options "")
    set(headers "${dir}/include/${name}.h")
    if(NOT arg_SHARED)
        list(APPEND headers "${dir}/include/${name}.hpp")
    else()
        set(made "${dir}/lib/lib${name}.so.${arg_VERSION}")
        list(APPEND options --shared "${arg_VERSION}")
    endif()
    foreach(option IN ITEMS STEPS FUNCTIONS OPTIMIZERS LAYOUTS SHAPES TARGETS NAMESPACE SCHEDULES)
        if(arg_${option})
            string(TOLOWER "--${option}" word)
            list(APPEND options "${word}" ${arg_${option}})
        endif()
    endforeach()
    set(compiler --unset=CXX)
    if(FRISKET_BUILD_COMPILER)
        set(compiler "CXX=${FRISKET_BUILD_COMPILER}")
    endif()
    set(flags "${CMAKE_CXX_FLAGS}")
    if(CMAKE_SYSROOT)
        string(APPEND flags " --sysroot=${CMAKE_SYSROOT}")
    endif()
    get_property(prefix GLOBAL PROPERTY frisket_prefix)
    add_custom_command(
        OUTPUT "${made}"
        BYPRODUCTS ${headers}
        COMMAND
            "${CMAKE_COMMAND}" -E env ${compiler} "CXXFLAGS=${flags}" "${FRISKET_COMMAND}" build ${name} --from "${header}" ${options}
            --cross "${prefix}" --compiler "${CMAKE_CXX_COMPILER}" --out "${dir}"
        DEPENDS "${header}" ${arg_SCHEDULES}
        DEPFILE "${dir}/${name}.kernels/${name}.d"
        WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
        COMMENT "Compiling kernels ${name} for ${CMAKE_SYSTEM_PROCESSOR}"
        VERBATIM
    )
    add_custom_target(${name}_kernels DEPENDS "${made}")
    file(MAKE_DIRECTORY "${dir}/include")
    _frisket_imported_kernels()
endmacro()

# The target NAME, of the file that the command makes.
macro(_frisket_imported_kernels)
    set(kind STATIC)
    if(arg_SHARED)
        set(kind SHARED)
    endif()
    add_library(${name} ${kind} IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${made}")
    target_include_directories(${name} INTERFACE "${dir}/include" "${header_dir}")
    add_dependencies(${name} ${name}_kernels)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Notes on how old compilers passed such types: no function with them crosses a library.
        target_compile_options(${name} INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi>")
    endif()
    if(NOT arg_SHARED)
        target_link_libraries(${name} INTERFACE frisket::plans)
        if(arg_OPTIMIZERS)
            target_link_libraries(${name} INTERFACE frisket::optim)
        endif()
        target_link_options(${name} INTERFACE "LINKER:--gc-sections")
    endif()
endmacro()

macro(_frisket_check_cross)
    find_program(FRISKET_COMMAND frisket DOC "The command frisket of this machine, for kernels of others" NO_CMAKE_FIND_ROOT_PATH)
    if(NOT FRISKET_COMMAND)
        message(
            FATAL_ERROR
            "frisket: ${name}: kernels for ${CMAKE_SYSTEM_PROCESSOR} are compiled by the command frisket of this machine, which was not found: install frisket here too, and name it, -DFRISKET_COMMAND=…/bin/frisket"
        )
    endif()
    if(NOT arg_TARGETS OR "host" IN_LIST arg_TARGETS)
        message(
            FATAL_ERROR
            "frisket: ${name}: the project is compiled for ${CMAKE_SYSTEM_PROCESSOR}, and host is the processor of this machine: name TARGETS, arm-64 for instance"
        )
    endif()
    if(arg_EXPRESSIONS)
        message(FATAL_ERROR "frisket: ${name}: EXPRESSIONS are tuned where they run: leave them out of a project that is cross-compiled")
    endif()
endmacro()
