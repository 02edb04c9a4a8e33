// SPDX-License-Identifier: MIT
#include "list_lines.hpp"

#include <algorithm>

namespace frisket::list_kernels {

namespace {

/// The lines of positions; the index along each goes to `inner`.
template <class Position>
void split(std::span<const Position> positions, std::int64_t length, std::int64_t* inner, LineBlock& to) {
    const auto count = static_cast<std::int64_t>(positions.size());
    for (std::int64_t i = 0; i < count;) {
        const std::int64_t line = positions[i] / length, begin = line * length, end = begin + length;
        to.numbers.push_back(line);
        to.starts.push_back(i);
        for (; i < count && positions[i] < end; ++i) inner[i] = positions[i] - begin;
    }
    to.starts.push_back(count);
}

}  // namespace

std::int64_t ListLines::size() const noexcept {
    if (list_ != nullptr) return list_->size();
    return index_ != nullptr ? std::ssize(index_->indices) : sparse_->inner.size();
}

/// The first entry after the line of one.
std::int64_t ListLines::line_end(std::int64_t entry) const {
    if (list_ == nullptr)
        return *std::ranges::upper_bound(index_ != nullptr ? index_->pointers : sparse_->starts, entry);
    const std::int64_t end = ((*list_)[entry] / length_ + 1) * length_;
    const auto after = [&](auto positions) {
        return std::ranges::lower_bound(positions.subspan(entry), end) - positions.begin();
    };
    return list_->is_narrow() ? after(list_->narrow()) : after(list_->wide());
}

std::vector<std::int64_t> ListLines::tasks(std::int64_t entries) const {
    std::vector<std::int64_t> begins{0};
    while (begins.back() < size()) begins.push_back(line_end(std::min(begins.back() + entries, size()) - 1));
    return begins;
}

LineBlock ListLines::lines(std::int64_t first, std::int64_t end) const {
    LineBlock made{.first = first};
    if (list_ == nullptr) {
        const std::span<const std::int64_t> all =
            index_ != nullptr ? std::span(index_->indices) : sparse_->inner.span();
        made.inner = all.subspan(first, end - first);
        const auto& starts = index_ != nullptr ? index_->pointers : sparse_->starts;
        auto line = std::ranges::upper_bound(starts, first) - starts.begin() - 1;
        for (std::int64_t entry = first; entry < end; ++line) {
            if (starts[line + 1] == entry) continue;
            made.numbers.push_back(index_ != nullptr ? line : sparse_->numbers[line]);
            made.starts.push_back(entry - first);
            entry = starts[line + 1];
        }
        made.starts.push_back(end - first);
        return made;
    }
    made.memory = Indices(end - first);
    if (list_->is_narrow())
        split(list_->narrow().subspan(first, end - first), length_, made.memory.data(), made);
    else
        split(list_->wide().subspan(first, end - first), length_, made.memory.data(), made);
    made.inner = made.memory.span();
    return made;
}

}  // namespace frisket::list_kernels
