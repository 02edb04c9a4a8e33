// SPDX-License-Identifier: MIT
// Lists the sizes at which calls change their way.
#pragma once
#include <cstddef>
#include <cstdint>

/// Sizes at which calls begin another task, part, batch or pass.  Tests look at both sides of each
/// (tests/limits/table.hpp), and of the limits of strategies (kernel/strategy.hpp,
/// kernel/workload_class.hpp) and of loops (codegen/limits.hpp).
namespace frisket::limits {

// Loops over elements without gaps.
inline constexpr std::size_t few_ranges = 4;            ///< ranges of words, each a loop of its own
inline constexpr std::size_t gather_batch = 1024;       ///< positions
inline constexpr std::size_t lines_batch = 256;         ///< lines of 16 elements
inline constexpr std::int64_t tile_of_bytes = 512;      ///< elements whose bytes one test may look at
inline constexpr std::int64_t most_in_part = 1 << 18;   ///< elements of a part of a call
inline constexpr std::int64_t most_repeated = 1 << 15;  ///< the same, with values that are repeated for it
inline constexpr std::int64_t parts_wanted = 16;        ///< parts of a call whose parts may be smaller
inline constexpr std::int64_t prepared_in_part = 4096;  ///< entries of a list made by prepare()

inline constexpr std::int64_t segment_elements =
    std::int64_t{1} << 30;  ///< that one flat loop walks at most: indices are 32 bits wide

// A look at a mask.
inline constexpr std::int64_t group_words = 8;        ///< words that are looked at together
inline constexpr std::int64_t sample_words = 64;      ///< words that a sample takes together
inline constexpr std::int64_t sample_apart = 8;       ///< samples of which one is taken
inline constexpr std::int64_t counted_words = 512;    ///< words that are counted without samples
inline constexpr std::int64_t counted_lines = 65535;  ///< words whose lines are counted in one sum

// Tasks of calls and of listed rows.
inline constexpr std::int64_t task_elements = 65536;
inline constexpr std::int64_t row_part_bytes =
    16384;  ///< bytes of the widest operand: all stay in the second cache
inline constexpr std::int64_t most_part_rows = 256;
inline constexpr std::int64_t summed_at_once = 32;  ///< elements of rows that are summed in a piece

// Sorting and merging of lists.
inline constexpr std::int64_t narrow_index = std::int64_t{1} << 31;  ///< bound of indices of 32 bits
inline constexpr std::size_t short_list = 1024;  ///< entries; below, comparing is faster than counting digits
inline constexpr int most_digit_bits = 11;       ///< whose counters stay in the first cache
inline constexpr std::int64_t long_merge =
    std::int64_t{1} << 16;  ///< entries of two lists, from which on these are merged in two halves
inline constexpr std::int64_t counted_columns = 16;     ///< for each entry, above which a transpose sorts
inline constexpr int kept_levels = 4;                   ///< nesting of structures stored with structures
inline constexpr std::size_t most_kept_structures = 4;  ///< structures that are stored with a list, the last

/// Terms of a sum of products that are added in its own dtype before they are added in float64: part of its
/// definition.
inline constexpr std::int64_t product_panel = 4096;

/// Columns of a product, up to which its loops have tiles of exactly this width: wider tiles would compute
/// columns that are not there.
inline constexpr std::int64_t narrow_columns = 8;

/// Elements of the result of a product, up to which threads share the panels of its terms: larger results are
/// cut into tiles for them.
inline constexpr std::int64_t few_sums = 4096;

/// Terms of a product that is computed in a stage of its own where several stages read it.
inline constexpr std::int64_t staged_product = std::int64_t{1} << 20;

/// Products of an expression above which each is in a stage of its own: the time to compile one grows with
/// the square of its products, and stages of equal layers share their loops.
inline constexpr std::int64_t products_of_a_stage = 16;

/// Operations above which a body is evaluated in parts, and the operations of a part: the time to compile one
/// grows with the square of them.
inline constexpr std::int64_t operations_of_a_body = 512, operations_of_a_part = 64;

/// Bytes that stages of one expression store for each other, above which the stages of a batch are computed
/// for some of its indices at a time.
inline constexpr std::int64_t shared_value_bytes = std::int64_t{128} << 20;

/// Cost of an element of a product that is made only for listed positions, in elements of the whole product:
/// 5 to 15 were measured.
inline constexpr std::int64_t sampled_cost = 10;

/// Cost of an element of a product of matrices at the places of a list, whose kernel is its own.
inline constexpr std::int64_t sampled_factor_cost = 4;

/// Elements of rows that are read at indices, from which on a stage of its own sums them.
inline constexpr std::int64_t gathered_sum_elements = std::int64_t{1} << 20;

// Kernels of products of lists.
inline constexpr std::int64_t line_task_entries = 8192;         ///< entries of a task of whole lines
inline constexpr std::int64_t transposed_task_entries = 65536;  ///< that a task puts into buckets
inline constexpr int transposed_bucket_bits = 10;               ///< bits of indices: parts written in turn
inline constexpr std::int64_t bucket_entries = 256;             ///< entries of a part, at least
inline constexpr std::int64_t counted_lines_of_bucket = 8192;   ///< lines that are counted, not sorted
inline constexpr std::int64_t counted_lines_of_entry = 4;       ///< the same, for each entry
inline constexpr std::int64_t product_task_entries = 16384;     ///< entries of the left one of two lists
inline constexpr std::int64_t most_product_sums = std::int64_t{1}
                                                  << 21;  ///< columns; for more, terms are sorted

/// Elements of a row that running sums and products put together before they add the preceding result: part
/// of their definition, as it is the order of additions.
inline constexpr int scan_block = 16;

}  // namespace frisket::limits
