// SPDX-License-Identifier: MIT
#include "index_list.hpp"

#include "../limits.hpp"
#include "../support/fork.hpp"

#include <algorithm>

namespace frisket::runtime {

std::int64_t KeptStructures::bytes() const {
    const NoFork whole;
    const std::scoped_lock lock(mutex_);
    std::int64_t bytes = 0;
    for (const Kept& kept : kept_) bytes += kept.bytes(kept.structure.get());
    return bytes;
}

bool KeptStructures::is_last_level() const noexcept { return level_ >= limits::kept_levels; }

std::shared_ptr<const void> KeptStructures::find(Kind kind, const Key& key) const {
    const NoFork whole;
    const std::scoped_lock lock(mutex_);
    const auto found =
        std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.kind == kind && kept.key == key; });
    return found == kept_.end() ? nullptr : found->structure;
}

void KeptStructures::keep(Kind kind, const Key& key, std::shared_ptr<const void> structure,
                          Bytes bytes) const {
    std::vector<Kept> dropped;  // its memory is given back without the lock
    const NoFork whole;
    const std::scoped_lock lock(mutex_);
    const auto is_there = [&](const Kept& kept) { return kept.kind == kind && kept.key == key; };
    if (std::ranges::any_of(kept_, is_there)) return;  // another thread was first
    kept_.insert(kept_.begin(), {kind, key, std::move(structure), bytes});
    while (kept_.size() > limits::most_kept_structures) {
        dropped.push_back(std::move(kept_.back()));
        kept_.pop_back();
    }
}

}  // namespace frisket::runtime
