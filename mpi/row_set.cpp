// SPDX-License-Identifier: MIT
#include "row_set.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace frisket::mpi {

RowSet::RowSet(std::int64_t rows) : blocks_(static_cast<std::size_t>((rows + block_rows - 1) / block_rows)) {}

void RowSet::add(std::int64_t row) {
    const std::int64_t block = row / block_rows, within = row % block_rows;
    blocks_[static_cast<std::size_t>(block)].bits[static_cast<std::size_t>(within / 64)] |= std::uint64_t{1}
                                                                                            << (within % 64);
    if (count_++ % sample == 0) samples_.push_back(block);
}

void RowSet::finish() {
    std::int64_t before = 0;
    for (Block& block : blocks_) {
        block.before = before;
        for (std::size_t i = 0; i < block.bits.size(); ++i) {
            block.before_words |= static_cast<std::uint64_t>(before - block.before) << (9 * i);
            before += std::popcount(block.bits[i]);
        }
    }
    samples_.push_back(std::ssize(blocks_));
    samples_.shrink_to_fit();
}

std::int64_t RowSet::local(std::int64_t row) const {
    const Block& block = blocks_[static_cast<std::size_t>(row / block_rows)];
    const std::int64_t word = row % block_rows / 64;
    const std::uint64_t below = (std::uint64_t{1} << (row % 64)) - 1;
    return block.before_word(word) + std::popcount(block.bits[static_cast<std::size_t>(word)] & below);
}

std::int64_t RowSet::row(std::int64_t local) const {
    const auto at = static_cast<std::size_t>(local / sample);
    const auto first = blocks_.begin() + samples_[at];
    const auto last = blocks_.begin() + std::min(samples_[at + 1] + 1, std::ssize(blocks_));
    // The last block with no more rows before it than wanted.
    const auto block = std::ranges::upper_bound(first, last, local, {}, &Block::before) - 1;
    std::int64_t rest = local - block->before, row = (block - blocks_.begin()) * block_rows;
    for (std::uint64_t word : block->bits) {
        const int here = std::popcount(word);
        if (rest >= here) {
            rest -= here;
            row += 64;
            continue;
        }
        for (; rest > 0; --rest) word &= word - 1;
        return row + std::countr_zero(word);
    }
    return row;
}

}  // namespace frisket::mpi
