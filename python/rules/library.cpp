// SPDX-License-Identifier: MIT
// The shared library of the loops of all rules.  Loops call functions of the module that loads the library.
#include "../../runtime/tensor/error.hpp"
#include "../binding/rule_loops.hpp"

namespace frisket_rules {
const frisket::codegen::LoopProvider& kernels(const frisket::TargetName& target);
}
namespace frisket_more_rules {
const frisket::codegen::LoopProvider& kernels(const frisket::TargetName& target);
}

namespace {
frisket::python::RuleImports module;
}

void* frisket_loop_malloc(void* context, std::size_t bytes) { return module.allocate(context, bytes); }
void frisket_loop_free(void* context, void* memory) { module.free(context, memory); }
void frisket_loop_error(void* context, const char* text) { module.error(context, text); }
int frisket_loop_do_par_for(void* context, frisket::codegen::LoopTaskFunction task, int first, int count,
                            std::uint8_t* closure) {
    return module.do_par_for(context, task, first, count, closure);
}

namespace frisket::aot {

const codegen::LoopProvider& make_provider(std::atomic<const codegen::LoopProvider*>& made, const char* name,
                                           std::initializer_list<Rows<PlannedTarget>> tables) {
    return module.make_provider(made, name, tables);
}

void check_not_chosen(const char* name, const TargetName& target) { module.check_not_chosen(name, target); }

}  // namespace frisket::aot

extern "C" __attribute__((visibility("default"))) void
frisket_rule_loops(const frisket::python::RuleImports& imports,
                   const frisket::codegen::LoopProvider** loops) {
    module = imports;
    const frisket::TargetName best;
    loops[0] = &frisket_rules::kernels(best);
    try {
        loops[1] = &frisket_more_rules::kernels(best);
    } catch (const frisket::TargetError&) {  // this processor is too plain for them
        loops[1] = nullptr;
    }
}
