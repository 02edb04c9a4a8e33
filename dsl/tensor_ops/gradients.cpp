// SPDX-License-Identifier: MIT
#include "gradients.hpp"

#include "../../ir/passes/gradient/gradient.hpp"

#include <array>
#include <optional>

namespace frisket::op {

build::Expr Gradient::lower(const std::vector<build::Expr>& parts) const {
    const std::optional<build::Expr> upstream = parts.size() > 2 ? std::optional(parts[2]) : std::nullopt;
    const auto unused = allows_unused ? build::Unused::allowed : build::Unused::refused;
    return build::gradient(parts[0], std::array{parts[1]}, upstream, unused)[0];
}

}  // namespace frisket::op
