// SPDX-License-Identifier: MIT
#include "held_expression.hpp"

#include <iterator>

namespace frisket::detail {

HeldExpression::~HeldExpression() {
    Parts pending = std::move(parts_);
    while (!pending.empty()) {
        const std::shared_ptr<const HeldExpression> last = std::move(pending.back());
        pending.pop_back();
        if (last.use_count() > 1) continue;
        // Its parts outlive it here, so that its own destructor frees none of them.
        pending.insert(pending.end(), std::make_move_iterator(last->parts_.begin()),
                       std::make_move_iterator(last->parts_.end()));
        last->parts_.clear();
    }
}

}  // namespace frisket::detail
