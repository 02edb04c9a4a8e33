// SPDX-License-Identifier: MIT
// Computes with masks of one bit for each element.
#pragma once
#include <cstdint>
#include <vector>

/// Masks as one bit an element: bit i % 64 of word i / 64 is element i row-major.  All take ranges of words,
/// so that a caller can split the work; words past the last element's are nobody's.
namespace frisket::runtime {

/// Number of words that hold `count` bits.
constexpr std::int64_t words_for(std::int64_t count) { return count / 64 + (count % 64 != 0); }

/// Words begin_word … end_word - 1 from `count` bytes, any but 0 being true; bits past the end are zero.
void pack_bits(const std::uint8_t* bytes, std::int64_t begin_word, std::int64_t end_word, std::int64_t count,
               std::uint64_t* words);

/// Bytes 0 and 1 from the words begin_word … end_word - 1, of `count` bits in all.
void unpack_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                 std::int64_t count, std::uint8_t* bytes);

/// Number of bits that are set.
std::int64_t count_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word);

/// Number of words that have a bit set.
std::int64_t count_nonzero_words(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word);

/// Number of runs of words that have a bit set: those whose predecessor in the range has none.
std::int64_t count_runs(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word);

/// Words begin … end - 1.
struct WordRange { std::int64_t begin = 0, end = 0; };
/// Ranges of words in which bits are set: ascending, with words without a bit between them; they begin and
/// end at multiples of 8 words, or with the last word.
void nonzero_ranges(const std::uint64_t* words, std::int64_t word_count, std::vector<WordRange>& ranges);

/// Number of lines of 16 bits that have a bit set.
std::int64_t count_nonzero_lines(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word);

/// The lines of 16 bits that have a bit set, ascending; returns their number.  `out` has room for all lines.
std::int64_t nonzero_lines(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                           std::int32_t* out);

/// Places past the last one that positions_of_bits may write to.
inline constexpr std::int64_t position_slack = 3;
/// The positions of set bits, ascending; returns their number.  `out` has room for all set bits, and
/// position_slack more.  Positions must fit the type (32 bits: end_word at most 2^25).
std::int64_t positions_of_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                               std::int32_t* out);
std::int64_t positions_of_bits(const std::uint64_t* words, std::int64_t begin_word, std::int64_t end_word,
                               std::int64_t* out);

/// Sets bits begin … end - 1.
void set_bits(std::uint64_t* words, std::int64_t begin, std::int64_t end);

/// Clears the bits of the last word that are past `count`.
void clear_tail(std::uint64_t* words, std::int64_t count);

/// Writes bits from the first on, some at a time.
class BitWriter {
public:
    explicit BitWriter(std::uint64_t* words) : next_(words) {}
    /// The lowest `count` bits, 1 to 64; those above must be zero.
    void append(std::uint64_t bits, int count) {
        word_ |= bits << used_;
        const int room = 64 - used_;
        if (count < room) {
            used_ += count;
            return;
        }
        *next_++ = word_;
        word_ = room == 64 ? 0 : bits >> room;
        used_ = count - room;
    }
    /// Writes the last word; to be called once, at the end.
    void finish() {
        if (used_ > 0) *next_ = word_;
    }

private:
    std::uint64_t* next_;
    std::uint64_t word_ = 0;
    int used_ = 0;
};

/// The bits of `count` bytes, 1 to 64, at a distance of `step`.
std::uint64_t pack_word(const std::uint8_t* bytes, int count, std::int64_t step = 1);

}  // namespace frisket::runtime
