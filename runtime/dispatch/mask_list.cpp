// SPDX-License-Identifier: MIT
#include "mask_list.hpp"

#include <algorithm>
#include <bit>

namespace frisket::kernel_calls {

namespace {

using List = std::vector<std::int32_t>;

std::int64_t words_in(const MaskBits& mask) {
    std::int64_t words = 0;
    for (const runtime::WordRange& range : mask.ranges) words += range.end - range.begin;
    return words;
}
std::int64_t bits_in(const MaskBits& mask) {
    std::int64_t bits = 0;
    for (const runtime::WordRange& range : mask.ranges)
        bits += runtime::count_bits(mask.words, range.begin, range.end);
    return bits;
}
/// Runs of bits that are set.
std::int64_t runs_in(const MaskBits& mask) {
    std::int64_t runs = 0;
    for (const runtime::WordRange& range : mask.ranges) {
        std::uint64_t before = 0;
        for (std::int64_t at = range.begin; at < range.end; ++at) {
            const std::uint64_t word = mask.words[at];
            runs += std::popcount(word & ~(word << 1 | before));
            before = word >> 63;
        }
    }
    return runs;
}

std::int32_t* put_positions(const MaskBits& mask, std::int32_t* to) {
    for (const runtime::WordRange& range : mask.ranges)
        to += runtime::positions_of_bits(mask.words, range.begin, range.end, to);
    return to;
}

std::int32_t* put_lines(const MaskBits& mask, std::int32_t* to) {
    for (const runtime::WordRange& range : mask.ranges)
        to += runtime::nonzero_lines(mask.words, range.begin, std::min(range.end, mask.count / 64), to);
    return to;
}

std::int32_t* put_run(std::int64_t begin, std::int64_t end, std::int32_t* to) {
    for (; begin < end; begin += segment_length) {
        *to++ = static_cast<std::int32_t>(begin);
        *to++ = static_cast<std::int32_t>(std::min<std::int64_t>(segment_length, end - begin));
    }
    return to;
}

std::int32_t* put_segments(const MaskBits& mask, std::int32_t* to) {
    for (const runtime::WordRange& range : mask.ranges) {
        std::int64_t begin = -1;  // start of an unfinished run; -1: no run is open
        for (std::int64_t at = range.begin; at < range.end; ++at) {
            const std::uint64_t word = mask.words[at];
            for (std::int64_t bit = 0; bit < 64;) {
                if (begin < 0) {
                    const std::uint64_t rest = word >> bit;
                    if (rest == 0) break;
                    bit += std::countr_zero(rest);
                    begin = at * 64 + bit;
                }
                bit += std::countr_one(word >> bit);
                if (bit >= 64) break;
                to = put_run(begin, at * 64 + bit, to);
                begin = -1;
            }
        }
        if (begin >= 0) to = put_run(begin, range.end * 64, to);
    }
    return to;
}

/// Function that makes the list of a strategy.
struct ListMaker {
    Strategy strategy;
    std::int64_t (*most)(const MaskBits& mask);  ///< slots that it takes
    std::int32_t* (*put)(const MaskBits& mask, std::int32_t* to);
};
constexpr ListMaker makers[] = {
    {.strategy = Strategy::gather,
     .most = [](const MaskBits& mask) { return bits_in(mask) + runtime::position_slack; },
     .put = put_positions},
    {.strategy = Strategy::lines,
     .most =
         [](const MaskBits& mask) { return words_in(mask) * (64 / line_elements) + runtime::position_slack; },
     .put = put_lines},
    {.strategy = Strategy::segments,
     .most = [](const MaskBits& mask) { return 2 * (runs_in(mask) + words_in(mask) * 64 / segment_length); },
     .put = put_segments},
};

}  // namespace

bool walks_list(Strategy strategy) {
    return std::ranges::find(makers, strategy, &ListMaker::strategy) != std::end(makers);
}

std::span<const std::int32_t> list_of(Strategy strategy, const MaskBits& mask, List& room) {
    const ListMaker& maker = *std::ranges::find(makers, strategy, &ListMaker::strategy);
    room.resize(static_cast<std::size_t>(maker.most(mask)));
    const std::int32_t* const end = maker.put(mask, room.data());
    return std::span(room).first(static_cast<std::size_t>(end - room.data()));
}

}  // namespace frisket::kernel_calls
