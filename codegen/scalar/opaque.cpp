// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../runtime/support/made_once.hpp"
#include "value.hpp"

#include <algorithm>
#include <map>

namespace frisket::lowering {

namespace ir = Halide::Internal;
using Halide::Expr;

namespace {

/// Finds whether arithmetic of only floats, of `bits` bits at least, leads to a float from memory: as x - x
/// and 0 * x may be NaN, compilers do not know its result.  They may know the result of conditions and
/// integers, and of selections by these.
class Search {
public:
    explicit Search(int bits = 0) : bits_(bits) {}
    bool varies(const Expr& x) {
        if (!x.type().is_float() || x.type().bits() < bits_) return false;
        const auto known = known_.find(x.get());
        if (known != known_.end()) return known->second;
        return known_[x.get()] = looked_at(x);
    }

private:
    bool looked_at(const Expr& x) {
        if (x.as<ir::Variable>() != nullptr) return true;
        if (const auto* call = x.as<ir::Call>()) return varies(*call);
        if (const auto* cast = x.as<ir::Cast>()) return varies(cast->value);
        if (const auto* choice = x.as<ir::Select>())
            return varies(choice->true_value) && varies(choice->false_value);
        return either<ir::Add>(x) || either<ir::Sub>(x) || either<ir::Mul>(x) || either<ir::Div>(x);
    }

    bool varies(const ir::Call& call) {
        if (call.call_type == ir::Call::Image || call.call_type == ir::Call::Halide) return true;
        return std::ranges::any_of(call.args, [this](const Expr& x) { return varies(x); });
    }

    template <class Node>
    bool either(const Expr& x) {
        const auto* node = x.as<Node>();
        return node != nullptr && (varies(node->a) || varies(node->b));
    }

    int bits_;
    std::map<const ir::IRNode*, bool> known_;  // expressions are graphs with shared nodes
};

/// Gives an element its own bits, by way of opaque_zero.
Expr with_zero(const Expr& x) {
    const Halide::Type bits = x.type().with_code(Halide::Type::UInt);
    const Expr known = x.type().is_float() ? as_bits(x) : Halide::reinterpret(bits, x);
    return Halide::reinterpret(x.type(), known | Halide::cast(bits, opaque_zero()));
}

}  // namespace

Expr opaque_mask(const Expr& mask) { return with_zero(mask); }

const Halide::Param<std::uint64_t>& opaque_zero() {
    return runtime::made_once([] { return Halide::Param<std::uint64_t>("zero"); });
}

Expr opaque(const Expr& x) { return Search().varies(x) ? x : with_zero(x); }

Expr unsolved(const Expr& x) { return with_zero(x); }

Expr kept_where(const Expr& condition, const Expr& x) {
    const Halide::Type bits = x.type().with_code(Halide::Type::UInt);
    const Expr kept = Halide::select(condition, bits.max(), Halide::cast(bits, 0));
    return Halide::reinterpret(x.type(), (as_bits(x) & kept) | Halide::cast(bits, opaque_zero()));
}

Expr kept_in_let(const Expr& x) { return Search(x.type().bits()).varies(x) ? x : with_zero(x); }

Expr clamped(const Expr& index, const Expr& extent) { return Halide::clamp(index, 0, extent - 1); }

Expr with_variable(const Expr& load, bool is_only_element) {
    if (is_only_element) return with_zero(load);
    struct Finder : ir::IRGraphVisitor {
        using ir::IRGraphVisitor::visit;
        void visit(const ir::Variable*) override { found = true; }
        bool found = false;
    } variable;
    for (const Expr& index : load.as<ir::Call>()->args) index.accept(&variable);
    return variable.found ? load : with_zero(load);
}

}  // namespace frisket::lowering
