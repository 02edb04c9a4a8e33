// SPDX-License-Identifier: MIT
// Loops of the rules of optim/, compiled ahead of time into a library that both modules load.
#pragma once
#include "../../codegen/jit/jit.hpp"

#include <cstddef>
#include <string>

#include "../../codegen/loops/loop_functions.hpp"
#include "../../runtime/kernel/aot_tables.hpp"

namespace frisket::python {

/// Functions of the module that the library of rules calls.
struct RuleImports {
    decltype(&frisket_loop_malloc) allocate;
    decltype(&frisket_loop_free) free;
    decltype(&frisket_loop_error) error;
    decltype(&frisket_loop_do_par_for) do_par_for;
    decltype(&aot::make_provider) make_provider;
    decltype(&aot::check_not_chosen) check_not_chosen;
};

/// Name of the library's only function, which gives its sources of loops, each for some rules.
inline constexpr const char* rule_library_function = "frisket_rule_loops";
inline constexpr std::size_t rule_source_count = 2;
/// `loops`: of rule_source_count; null for a source that has no loops for this processor.
using RuleLibraryFunction = void(const RuleImports& imports, const codegen::LoopProvider** loops);

/// The loops of the library beside this module, which the first call loads; null if there is no library.
/// Errors: TargetError if it has no loops for this processor; IoError if it cannot be loaded.
const codegen::LoopProvider* rule_loops();
/// The target of these loops on this machine; empty without loops.
std::string rule_target();

}  // namespace frisket::python
