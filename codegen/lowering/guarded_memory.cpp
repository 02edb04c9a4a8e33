// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "guarded_memory.hpp"

namespace frisket::codegen {

namespace {

using namespace Halide::Internal;
using Halide::Internal::Variable;

/// Puts the body of every allocation that may be on the heap under a test of its address.
class GuardMemory final : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Allocate* op) override {
        const Stmt statement = IRMutator::visit(op);
        const std::int32_t bytes = op->constant_allocation_size() * op->type.bytes();
        if (bytes > 0 && can_allocation_fit_on_stack(bytes)) return statement;
        const auto* const same = statement.as<Allocate>();
        const Halide::Expr address =
            Halide::reinterpret(Halide::UInt(64), Variable::make(Halide::type_of<void*>(), op->name));
        return Allocate::make(same->name, same->type, same->memory_type, same->extents, same->condition,
                              IfThenElse::make(address != make_zero(Halide::UInt(64)), same->body),
                              same->new_expr, same->free_function, same->padding);
    }
};

}  // namespace

void guard_memory(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new GuardMemory); }

}  // namespace frisket::codegen
