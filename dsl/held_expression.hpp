// SPDX-License-Identifier: MIT
// Holds expressions without their types, for loops, functions and vectors.
#pragma once
#include "describe.hpp"
#include "operators.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

/// Expressions whose type does not say how they are made: values that loops build and functions return.
namespace frisket {

namespace detail {

/// An expression behind a pointer: shared, never changed.
class HeldExpression {
public:
    using Parts = std::vector<std::shared_ptr<const HeldExpression>>;

    HeldExpression(const HeldExpression&) = delete;
    HeldExpression& operator=(const HeldExpression&) = delete;

    /// The held expressions that it reads, whose instructions precede its own.
    const Parts& parts() const noexcept { return parts_; }
    NodeId emit(GraphEmitter& lowering) const { return emit_(*this, lowering); }

protected:
    using Emit = NodeId (*)(const HeldExpression& self, GraphEmitter& lowering);

    HeldExpression(Parts parts, Emit emit) : parts_(std::move(parts)), emit_(emit) {}
    /// Takes chains of any length apart without recursion.
    ~HeldExpression();

private:
    mutable Parts parts_;  // changed by destructors alone
    Emit emit_;
};

/// Adds the held expressions that an expression reads.
template <class Node>
void add_held(HeldExpression::Parts& parts, const Node& node) {
    if constexpr (requires { node.held(); })
        parts.push_back(node.held());
    else
        for_each_operand(node, [&](const auto& operand) { add_held(parts, operand); });
}
template <class Node>
HeldExpression::Parts held_in(const Node& node) {
    HeldExpression::Parts parts;
    add_held(parts, node);
    return parts;
}

/// A held expression of one type.
template <class E>
class HeldNode final : public HeldExpression {
public:
    explicit HeldNode(const E& e) : HeldExpression(held_in(e), &emit_node), e_(e) {}

private:
    static NodeId emit_node(const HeldExpression& self, GraphEmitter& lowering) {
        return detail::emit(lowering, static_cast<const HeldNode&>(self).e_);
    }
    E e_;
};

/// Reasons why an expression is not held.
enum class HeldFault : std::uint8_t { none, untyped, symbols, masked, dense, elements };

template <class E, class T, ExprCategory Category>
consteval HeldFault held_fault() {
    constexpr ExprType found = Operand<E>::expr_type;
    if (is_refused<E>) return HeldFault::none;
    if (SomeTensor<E> && !TypedTensor<E>) return HeldFault::untyped;
    if (!found.has_tensors) return HeldFault::symbols;
    if (found.category != Category)
        return Category == ExprCategory::dense ? HeldFault::masked : HeldFault::dense;
    return strong(found.type).dtype == dtype_of<T> ? HeldFault::none : HeldFault::elements;
}
/// True unless this is the fault of holding E.
template <HeldFault Fault, class E, class T, ExprCategory Category>
inline constexpr bool is_not = held_fault<E, T, Category>() != Fault;
template <class T>
inline constexpr bool is_computed =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool>;

/// Any expression over tensors that is dense, or masked, with elements of T.
template <class T, ExprCategory Category>
class Held : public Subscripts<Held<T, Category>> {
    static_assert(is_computed<T>, "frisket: an Expression<T> is of float, double, int32_t, int64_t or bool: "
                                  "cast<float16>(e) in eval");

public:
    static constexpr int leaves = 1;
    static constexpr ExprType expr_type{.category = Category,
                                        .type = {.dtype = dtype_of<T>},
                                        .has_tensors = true,
                                        .has_structure = true,
                                        .needs_eval = true};
    static constexpr ExprType check(StepChecker& /*step*/) { return expr_type; }

    template <class E>
        requires AnyOperand<E>
    Held(const E& e) {
        static_assert(is_not<HeldFault::untyped, E, T, Category>,
                      "frisket: an untyped tensor in an expression: give it a type, Tensor<float>(t)");
        static_assert(
            is_not<HeldFault::symbols, E, T, Category>,
            "frisket: an Expression<T> is of tensors, and these are symbols: in a step write a Let");
        static_assert(is_not<HeldFault::masked, E, T, Category>,
                      "frisket: an Expression is dense, and this is masked: write MaskedExpression, or "
                      "to_dense(x, fill)");
        static_assert(is_not<HeldFault::dense, E, T, Category>,
                      "frisket: a MaskedExpression is masked, and this is dense: write Expression, or "
                      "masked(x, condition)");
        static_assert(is_not<HeldFault::elements, E, T, Category>,
                      "frisket: an Expression<T> has elements of T, and these are others: write cast<T>(x), "
                      "or declare it so");
        if constexpr (!is_refused<Operand<E>> && held_fault<E, T, Category>() == HeldFault::none)
            held_ = std::make_shared<const HeldNode<Operand<E>>>(operand(e));
    }

    /// The expression.  Errors: ValueError if it was moved from.
    const std::shared_ptr<const HeldExpression>& held() const {
        if (!held_) throw ValueError("an Expression that was moved from: give it a value first");
        return held_;
    }

    /// The sum instead: `loss += sum(w * w)`.
    template <class B>
    Held& operator+=(const B& b) & {
        return *this = *this + b;
    }
    /// The difference instead.
    template <class B>
    Held& operator-=(const B& b) & {
        return *this = *this - b;
    }
    /// The product instead.
    template <class B>
    Held& operator*=(const B& b) & {
        return *this = *this * b;
    }
    /// The quotient instead.
    template <class B>
    Held& operator/=(const B& b) & {
        return *this = *this / b;
    }

private:
    std::shared_ptr<const HeldExpression> held_;
};

template <class T, ExprCategory Category>
NodeId emit(GraphEmitter& lowering, const Held<T, Category>& expression) {
    return lowering.held(expression.held());
}

}  // namespace detail

/// Any dense expression over tensors, with elements of T: `Expression<float> e = x; e = relu(matmul(e, w));`.
/// An operand as any other; where it is read at several places it is computed once.
/// Cost: a copy is that of a pointer; expressions and tensors are shared, and kept alive.
/// Threads: as a shared_ptr; evaluation only reads it.
template <class T>
using Expression = detail::Held<T, ExprCategory::dense>;

/// Any masked expression over tensors, with elements of T; as Expression.
template <class T>
using MaskedExpression = detail::Held<T, ExprCategory::masked>;

}  // namespace frisket
