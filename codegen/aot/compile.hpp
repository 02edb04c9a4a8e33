// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/kernel/aot_tables.hpp"

/// Ahead-of-time compilation, for the program NAME_compile of frisket_add_kernels.  Its steps come from an
/// object of their own, so that it includes nothing of the DSL.
namespace frisket::aot {

/// Compiles steps and optimizers.  Writes what a kernel library is built from, in folder DIR:
///     include/NAME.hpp, include/NAME.h    for callers in C++ and C
///     NAME_library.cpp                    functions that it has one of
///     NAME_STEP.cpp                       tables of its signature, numbers and loops; the C function
///     NAME_STEP_0.o, NAME_STEP_1.o, …     the loops, for each target in the order given
///     NAME.map                            symbols that a shared library exports
///     NAME.pc                             for pkg-config, for an include/ and a lib/ beside each other
/// Arguments: --name NAME --header FILE --out DIR --layouts LAYOUT… --targets TARGET…
///     [--shapes FORM…] [--schedules FILE] [--shared VERSION] [--family TARGET]
/// --family: a target of the processors that the library is linked for; this one's unless it is said.
/// Gives the program's exit status: 0, or 1 after a sentence on stderr that names the step.
int compile(int argc, const char* const* argv, const NamedParts& parts) noexcept;

}  // namespace frisket::aot
