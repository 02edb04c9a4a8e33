// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace frisket::mpi {

/// Rows of one rank among all rows of a table, in ascending order: a bit for each row of the table, and with
/// every block of bits the number of rows before it, so that the place of a row is found in one cache line.
class RowSet {
public:
    /// Room for a table's rows.
    explicit RowSet(std::int64_t rows);
    /// Adds a row that is larger than all so far.
    void add(std::int64_t row);
    /// Ends the list of rows.
    void finish();

    /// Number of rows.
    std::int64_t count() const noexcept { return count_; }
    /// Place of a row that the set has.
    std::int64_t local(std::int64_t row) const;
    /// The row at an index.  Cost: a search among the blocks of 512 of its rows.
    std::int64_t row(std::int64_t local) const;

private:
    static constexpr std::int64_t words = 6, block_rows = 64 * words;  // a block fills a cache line
    static constexpr std::int64_t sample = 512;
    struct alignas(64) Block {
        std::int64_t before = 0;         // rows in earlier blocks
        std::uint64_t before_words = 0;  // rows in earlier words of the block, in 9 bits for each
        std::array<std::uint64_t, words> bits{};

        std::int64_t before_word(std::int64_t word) const noexcept {
            return before + static_cast<std::int64_t>(before_words >> (9 * word) & 511);
        }
    };
    std::vector<Block> blocks_;
    std::vector<std::int64_t> samples_;  // block of every 512th row of the set
    std::int64_t count_ = 0;
};

}  // namespace frisket::mpi
