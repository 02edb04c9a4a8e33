// SPDX-License-Identifier: MIT
#include "gradients.hpp"

#include "../graph_emitter.hpp"

#include <optional>

namespace frisket::op {

ir::Value Gradient::lower(const GraphEmitter& emitter, const std::vector<ir::Value>& parts) const {
    const std::optional<ir::Value> upstream = parts.size() > 2 ? std::optional(parts[2]) : std::nullopt;
    return emitter.gradient(parts[0], parts[1], upstream, allows_unused);
}

}  // namespace frisket::op
