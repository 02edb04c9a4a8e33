// SPDX-License-Identifier: MIT
#include "mask_list.hpp"

#include <algorithm>

namespace frisket {

bool walks_list(Strategy strategy) { return strategy == Strategy::gather || strategy == Strategy::lines; }

std::span<const std::int32_t> list_of(Strategy strategy, const MaskBits& mask,
                                      std::vector<std::int32_t>& room) {
    constexpr std::int64_t lines_in_word = 64 / line_elements;
    const bool by_line = strategy == Strategy::lines;
    std::int64_t most = position_slack;
    for (const WordRange& range : mask.ranges)
        most += by_line ? lines_in_word * (range.end - range.begin)
                        : count_bits(mask.words, range.begin, range.end);
    room.resize(static_cast<std::size_t>(most));
    std::int32_t* next = room.data();
    for (const WordRange& range : mask.ranges)
        next += by_line ? nonzero_lines(mask.words, range.begin, std::min(range.end, mask.count / 64), next)
                        : positions_of_bits(mask.words, range.begin, range.end, next);
    return std::span(room).first(static_cast<std::size_t>(next - room.data()));
}

}  // namespace frisket
