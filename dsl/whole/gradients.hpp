// SPDX-License-Identifier: MIT
#pragma once
#include "../build/gradient.hpp"
#include "../whole.hpp"

#include <array>
#include <optional>
#include <vector>

namespace frisket {

namespace op {

struct Gradient {
    static constexpr WholeInfo info{.name = "gradient", .type = WholeType::floats};
    static constexpr Judgement judge(std::initializer_list<Judgement> operands) {
        Judgement result = rules::judge_whole(info, operands);
        if (result.standing >= Standing::open) return result;
        result.standing = Standing::masked;
        result.type = strong(operands.begin()[1].type);
        return result;
    }
    build::Expr lower(const std::vector<build::Expr>& parts) const {
        const std::optional<build::Expr> upstream = parts.size() > 2 ? std::optional(parts[2]) : std::nullopt;
        return build::gradient(parts[0], std::array{parts[1]}, upstream)[0];
    }
};

}  // namespace op

/// How sum(e * upstream) changes with `wrt`, a tensor or symbol that occurs in e; upstream: 1 unless given.
/// Shape: that of wrt, and so is the dtype.
/// Unspecified: masked, also for a dense wrt: specified where a specified element of the upstream reached it.
/// Errors: ShapeError if the upstream has another shape than e.
template <class E, class Wrt, class... Upstream>
    requires(OneOfOurs<E> && OneOfOurs<Wrt> && sizeof...(Upstream) <= 1)
constexpr auto gradient(const E& e, const Wrt& wrt, const Upstream&... upstream) {
    return detail::whole_of(op::Gradient{}, e, wrt, upstream...);
}

}  // namespace frisket
