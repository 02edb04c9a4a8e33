// SPDX-License-Identifier: MIT
// Lists the strategies: ways of a loop to walk a mask.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace frisket {

/// Ways for a loop nest to treat the mask.  All of them give the same bytes.
enum class Strategy : std::uint8_t {
    dense,      ///< flat; every element is specified, no mask is read
    blend,      ///< flat; bit words; every element is loaded and stored, new where specified
    skip,       ///< flat; bit words; the same for words with a bit set, nothing for other words
    predicate,  ///< flat; bit words; the same with loads and stores of only specified elements
    bytes,      ///< flat; byte masks as they are given; skip without making bits of them first
    gather,     ///< a sorted list of positions; only specified elements are touched
    lines,      ///< flat; bit words; a sorted list of lines of 16 elements, each blended; no other is touched
    segments,   ///< flat; a sorted list of segments that are specified whole, each as dense
    rows,       ///< a sorted list of rows; only specified rows are touched
    strided,    ///< any strides, any broadcasting; a byte mask; every element
    strided_bits,   ///< on devices: the same with bit words, of masks that have the shape of the output
    strided_lists,  ///< on devices: the same with lists of such masks, whose elements have ranks

    expression,  ///< no strategy of a step: the loops of an expression, for which schedules have knobs too
};

/// Dimensions by which a loop sees an array, innermost first.
enum class ArrayForm : std::uint8_t {
    none,          ///< it is not passed
    scalar,        ///< a buffer of rank 0
    elements,      ///< (elements), without gaps
    tiles,         ///< (64, tiles), without gaps
    lines,         ///< (16, lines), without gaps
    rows,          ///< (row length, rows), any stride between rows
    row_numbers,   ///< (rows): one element for each row; of stride 0: one for all
    strided,       ///< four dimensions of any strides
    list_entries,  ///< (entries of the list)
    list_rows,     ///< (row length, entries of the list)
    words,         ///< (words): a bit for each row-major position, 64 to a word
    whole,         ///< the tensor's own dimensions
};
/// Dimensions of a form, but for `whole`.
constexpr int rank_of(ArrayForm form) {
    switch (form) {
        case ArrayForm::tiles:
        case ArrayForm::lines:
        case ArrayForm::rows:
        case ArrayForm::list_rows: return 2;
        case ArrayForm::strided: return 4;
        case ArrayForm::none:
        case ArrayForm::scalar:
        case ArrayForm::whole: return 0;
        default: return 1;
    }
}

/// Parameters of a strategy's loop, from which kernel/loop_abi.hpp makes the parameters of a step.
struct LoopForm {
    ArrayForm values;
    ArrayForm mask;  ///< words: bits, but for repeated masks; as values: bytes; none: masks are not passed
    /// Masked operands that have the mask of the domain; if no list is walked, all that are not repeated.
    ArrayForm listed = ArrayForm::none;
    std::string_view list = "";    ///< name of the list that the loop walks; empty: no list is passed
    bool lists_words = false;      ///< the entries are 64 bits wide: eight bytes of the mask
    bool counts_elements = false;  ///< the number of elements is passed
};

/// A row of the table of strategies.
struct StrategyInfo {
    Strategy strategy;
    std::string_view name;
    bool walks_domain;       ///< legal only if all updates have one mask
    std::string_view walks;  ///< elements that its loop walks; @ is the masked operand
    LoopForm loop;
};

namespace detail {
inline constexpr LoopForm tiles_and_words{
    .values = ArrayForm::tiles, .mask = ArrayForm::words, .counts_elements = true};
}

/// THE table of strategies, in the order of the enumeration.
inline constexpr StrategyInfo strategies[] = {
    {.strategy = Strategy::dense,
     .name = "dense",
     .walks_domain = false,
     .walks = "all elements, in tiles of 64",
     .loop = {.values = ArrayForm::tiles, .mask = ArrayForm::none, .counts_elements = true}},
    {.strategy = Strategy::blend,
     .name = "blend",
     .walks_domain = false,
     .walks = "all elements, in tiles of 64; bits of the mask choose what is stored",
     .loop = detail::tiles_and_words},
    {.strategy = Strategy::skip,
     .name = "skip",
     .walks_domain = true,
     .walks = "tiles of 64 elements in which @ specifies any",
     .loop = detail::tiles_and_words},
    {.strategy = Strategy::predicate,
     .name = "predicate",
     .walks_domain = true,
     .walks = "the specified elements of tiles of 64 in which @ specifies any",
     .loop = detail::tiles_and_words},
    {.strategy = Strategy::bytes,
     .name = "bytes",
     .walks_domain = true,
     .walks = "tiles of 64 elements in which bytes of @ specify any",
     .loop = {.values = ArrayForm::tiles,
              .mask = ArrayForm::tiles,
              .list = "bytes",
              .lists_words = true,
              .counts_elements = true}},
    {.strategy = Strategy::gather,
     .name = "gather",
     .walks_domain = true,
     .walks = "the specified elements of @, by a list of positions",
     .loop = {.values = ArrayForm::elements,
              .mask = ArrayForm::words,
              .listed = ArrayForm::list_entries,
              .list = "positions"}},
    {.strategy = Strategy::lines,
     .name = "lines",
     .walks_domain = true,
     .walks = "lines of 16 elements with a specified element of @, by a list",
     .loop = {.values = ArrayForm::lines, .mask = ArrayForm::words, .list = "lines"}},
    {.strategy = Strategy::segments,
     .name = "segments",
     .walks_domain = true,
     .walks = "segments that @ specifies whole, up to 256 elements, by a list",
     .loop = {.values = ArrayForm::elements, .mask = ArrayForm::words, .list = "segments"}},
    {.strategy = Strategy::rows,
     .name = "rows",
     .walks_domain = true,
     .walks = "the specified rows of @, by a list of rows",
     .loop = {.values = ArrayForm::rows,
              .mask = ArrayForm::words,
              .listed = ArrayForm::list_rows,
              .list = "rows"}},
    {.strategy = Strategy::strided,
     .name = "strided",
     .walks_domain = false,
     .walks = "all elements, in four dimensions of any strides; bytes of the mask choose what is stored",
     .loop = {.values = ArrayForm::strided, .mask = ArrayForm::strided}},
    {.strategy = Strategy::strided_bits,
     .name = "strided_bits",
     .walks_domain = false,
     .walks = "all elements, in four dimensions of any strides; bits of the mask choose what is stored",
     .loop = {.values = ArrayForm::strided, .mask = ArrayForm::words}},
    {.strategy = Strategy::strided_lists,
     .name = "strided_lists",
     .walks_domain = false,
     .walks = "all elements, in four dimensions of any strides; ranks in the lists choose what is stored",
     .loop = {.values = ArrayForm::strided, .mask = ArrayForm::words, .listed = ArrayForm::list_entries}},
};
inline constexpr int strategy_count = static_cast<int>(std::size(strategies));

namespace detail {
/// The loops of an expression, which dispatch does not choose.
inline constexpr StrategyInfo expression_loops{
    .strategy = Strategy::expression,
    .name = "expression",
    .walks_domain = false,
    .walks = "all elements of whole tensors",
    .loop = {.values = ArrayForm::whole, .mask = ArrayForm::whole}};
[[noreturn]] void refuse_strategy(Strategy strategy);
}  // namespace detail

/// Errors: ScheduleError if a number that is no strategy was cast to one.
constexpr const StrategyInfo& info_of(Strategy strategy) {
    if (strategy == Strategy::expression) return detail::expression_loops;
    if (static_cast<std::size_t>(strategy) >= std::size(strategies)) detail::refuse_strategy(strategy);
    return strategies[static_cast<std::size_t>(strategy)];
}
/// The name of a strategy.  Errors: as info.
constexpr std::string_view name_of(Strategy strategy) { return info_of(strategy).name; }

/// Elements of a line: a cache line of float32, a quarter of a word of bits.
inline constexpr int line_elements = 16;
/// Elements of a segment at most.
inline constexpr int segment_length = 256;

/// Statistics of a mask, from which a strategy is chosen.
struct MaskCounts {
    std::int64_t specified = 0;
    std::int64_t words = 0;           ///< words of 64 elements
    std::int64_t words_with_any = 0;  ///< words with a specified element
    std::int64_t runs = 0;            ///< runs of consecutive words with a specified element
    std::int64_t lines_with_any = 0;  ///< lines of 16 elements with a specified element
    std::int64_t near = 0;            ///< words in groups of 8 with a specified element
};

/// Strategies among which `choose` chooses.
inline constexpr Strategy flat_choices[] = {Strategy::skip, Strategy::blend, Strategy::gather,
                                            Strategy::lines};
/// Strategies for flat masks that are used only if a schedule asks for them.
inline constexpr Strategy flat_others[] = {Strategy::predicate, Strategy::bytes, Strategy::segments};

/// Estimated cost of each strategy for a flat mask with given counts; the unit is 1/21 of blending one word.
/// Source: the cost model in strategy.cpp.
struct FlatCosts { double skip = 0, blend = 0, gather = 0, lines = 0; };
/// The costs of a mask by the cost model.
FlatCosts costs_of(const MaskCounts& counts);

/// The strategy that should be fastest for a flat mask of these counts: blend, skip, gather or lines.
Strategy choose(const MaskCounts& counts);
/// The reason for that choice, in a sentence.
std::string explained(const MaskCounts& counts);

}  // namespace frisket
