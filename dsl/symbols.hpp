// SPDX-License-Identifier: MIT
#pragma once
#include "functions.hpp"
#include "name.hpp"
#include "operators.hpp"
#include "statement.hpp"
#include "step_judge.hpp"

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

/// Symbols: the leaves of expressions, empty types that carry a name, a kind and a type.
namespace frisket {

namespace detail {
template <class T>
inline constexpr bool is_element_type =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, bool> ||
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint8_t> ||
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_scalar_type = std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

template <class T>
consteval DType symbol_dtype() {
    if constexpr (is_element_type<T> || is_scalar_type<T>)
        return dtype_of<T>;
    else
        return DType::float32;  // refused by the symbol
}

consteval Judgement symbol_judgement(SymbolKind kind, DType dtype, std::string_view name) {
    Judgement judgement{.standing = Standing::dense, .type = {.dtype = compute_dtype(dtype)}};
    judgement.has_symbols = true;
    judgement.type.weak = kind == SymbolKind::scalar || kind == SymbolKind::scalar_state;
    if (judgement.type.weak) judgement.standing = Standing::scalar;
    if (kind == SymbolKind::let) judgement.standing = Standing::open;
    if (kind == SymbolKind::masked) {
        judgement.standing = Standing::masked;
        judgement.mask = name;
    }
    return judgement;
}
}  // namespace detail

/// A symbol.  Users write its kinds: InOut, In, Masked, Scalar, ScalarState, Let.
template <Name SymbolName, SymbolKind Kind, class T>
struct Named : Subscripts<Named<SymbolName, Kind, T>> {
    static constexpr std::string_view name = SymbolName.view();
    static constexpr SymbolKind symbol_kind = Kind;
    static constexpr DType dtype = detail::symbol_dtype<T>();
    static constexpr int leaves = 1;
    static constexpr Judgement judgement = detail::symbol_judgement(Kind, dtype, name);
    static constexpr Judgement judge(StepJudge& step) { return step.read(name, Kind, dtype, judgement); }

    static_assert(is_identifier(name),
                  "frisket: a name is made of letters, digits and _, and does not start with a digit");
    static_assert(
        Kind == SymbolKind::scalar || Kind == SymbolKind::scalar_state || detail::is_element_type<T>,
        "frisket: elements are float, double, float16, bfloat16, bool, std::uint8_t, int32_t or int64_t");
    static_assert((Kind != SymbolKind::scalar && Kind != SymbolKind::scalar_state) ||
                      detail::is_scalar_type<T>,
                  "frisket: a Scalar is a double or a std::int64_t");

    constexpr Named() = default;
    constexpr Named(const Named&) = default;

    /// An update, a definition or a binding, by kind: see dsl/README.md.
    template <class Value>
    constexpr auto operator=(Value&& value) const {
        return detail::assign<Named>(std::forward<Value>(value));
    }
    /// The same for a symbol's own value: without it, `=` would copy and say nothing.
    constexpr auto operator=(const Named& value) const { return detail::assign<Named>(value); }
};

/// A dense tensor that the step reads and writes.
template <Name SymbolName, class T = float>
using InOut = Named<SymbolName, SymbolKind::in_out, T>;
/// A dense tensor that the step reads.
template <Name SymbolName, class T = float>
using In = Named<SymbolName, SymbolKind::in, T>;
/// A masked tensor that the step reads; a dense tensor bound to it has every element specified.
template <Name SymbolName, class T = float>
using Masked = Named<SymbolName, SymbolKind::masked, T>;
/// A number of the host, double or std::int64_t; it takes the dtype of what it meets.
template <Name SymbolName, class T = double>
using Scalar = Named<SymbolName, SymbolKind::scalar, T>;
/// A number that is kept from call to call: bound to a double, which the step updates.
template <Name SymbolName>
using ScalarState = Named<SymbolName, SymbolKind::scalar_state, double>;
/// A name for an expression of the step, defined at its place: `d = expression`.
template <Name SymbolName>
using Let = Named<SymbolName, SymbolKind::let, float>;

template <class S, class Value>
    requires NamedSymbol<S>
constexpr auto operator+=(const S& target, const Value& value) {
    return detail::update_by<op::Add>(target, value);
}
template <class S, class Value>
    requires NamedSymbol<S>
constexpr auto operator-=(const S& target, const Value& value) {
    return detail::update_by<op::Sub>(target, value);
}
template <class S, class Value>
    requires NamedSymbol<S>
constexpr auto operator*=(const S& target, const Value& value) {
    return detail::update_by<op::Mul>(target, value);
}
template <class S, class Value>
    requires NamedSymbol<S>
constexpr auto operator/=(const S& target, const Value& value) {
    return detail::update_by<op::Div>(target, value);
}

}  // namespace frisket
