// SPDX-License-Identifier: MIT
#include "gradients.hpp"

#include "../graph_emitter.hpp"

#include <optional>

namespace frisket::op {

building::Expr Gradient::lower(const GraphEmitter& emitter, const std::vector<building::Expr>& parts) const {
    const std::optional<building::Expr> upstream = parts.size() > 2 ? std::optional(parts[2]) : std::nullopt;
    return emitter.gradient(parts[0], parts[1], upstream, allows_unused);
}

}  // namespace frisket::op
