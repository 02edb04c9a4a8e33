// SPDX-License-Identifier: MIT
#pragma once
#include "../build/gradient.hpp"
#include "../whole.hpp"

#include <array>
#include <optional>
#include <type_traits>
#include <vector>

namespace frisket {

struct AllowUnused {};
/// Says that a tensor may be missing in an expression: its gradient is specified nowhere then.
inline constexpr AllowUnused allow_unused{};

namespace op {

struct Gradient {
    static constexpr WholeInfo info{.name = "gradient", .type = WholeType::floats};
    build::Unused unused = build::Unused::refused;
    static constexpr Judgement judge(std::initializer_list<Judgement> operands) {
        Judgement result = rules::judge_whole(info, operands);
        if (result.standing >= Standing::open) return result;
        result.standing = Standing::masked;
        result.type = strong(operands.begin()[1].type);
        return result;
    }
    build::Expr lower(const std::vector<build::Expr>& parts) const {
        const std::optional<build::Expr> upstream = parts.size() > 2 ? std::optional(parts[2]) : std::nullopt;
        return build::gradient(parts[0], std::array{parts[1]}, upstream, unused)[0];
    }
};

}  // namespace op

namespace detail {
template <class T>
inline constexpr bool allows_unused = std::is_same_v<T, AllowUnused>;
}  // namespace detail

/// How sum(e * upstream) changes with `wrt`, a tensor or symbol that occurs in e; upstream: 1 unless given.
/// Shape: that of wrt, and so is the dtype.
/// Unspecified: masked, also for a dense wrt: specified where a specified element of the upstream reached it.
/// Errors: ShapeError if the upstream has another shape than e; ValueError if wrt does not occur in e: what
/// is called on tensors at once (`x.reshape({6})`, `masked(x, mask)` of two tensors) gives tensors that are
/// not x.
template <class E, class Wrt, class... Upstream>
    requires(OneOfOurs<E> && OneOfOurs<Wrt> && sizeof...(Upstream) <= 1 &&
             (!detail::allows_unused<Upstream> && ...))
constexpr auto gradient(const E& e, const Wrt& wrt, const Upstream&... upstream) {
    return detail::whole_of(op::Gradient{}, e, wrt, upstream...);
}
/// The same, specified nowhere if wrt does not occur in e.
template <class E, class Wrt>
    requires(OneOfOurs<E> && OneOfOurs<Wrt>)
constexpr auto gradient(const E& e, const Wrt& wrt, AllowUnused /*said*/) {
    return detail::whole_of(op::Gradient{build::Unused::allowed}, e, wrt);
}
template <class E, class Wrt, class Upstream>
    requires(OneOfOurs<E> && OneOfOurs<Wrt>)
constexpr auto gradient(const E& e, const Wrt& wrt, const Upstream& upstream, AllowUnused /*said*/) {
    return detail::whole_of(op::Gradient{build::Unused::allowed}, e, wrt, upstream);
}

}  // namespace frisket
