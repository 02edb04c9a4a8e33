// SPDX-License-Identifier: MIT
#pragma once
#include "../../codegen/eval.hpp"
#include "../../codegen/limits.hpp"
#include "../../codegen/loops/schedule.hpp"
#include "../../ir/ops/philox.hpp"
#include "../../runtime/kernel/workload_class.hpp"
#include "../../runtime/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

/// Every size at which the code does something else, by the constant that it is in the code.
namespace frisket::testing {

/// Quantity that a limit counts.
enum class Of : std::uint8_t {
    elements,   ///< elements of the space that a step walks
    specified,  ///< elements that a list of a call names
    folded,     ///< elements that one reduction takes, one after another
    lines,      ///< slices that are folded side by side, or not folded
    whole,      ///< elements of an expression's largest tensor
    entries,    ///< entries of a list of coo or rows
    bound,      ///< bound of the indices in a list
    listed,     ///< elements of listed rows
    length,     ///< elements of a row
};

struct Limit {
    std::string_view name;
    std::int64_t value;
    Of of;
};

/// float32 of the registers of the widest processors, and of the narrowest.
inline constexpr std::int64_t lanes[] = {4, 8, 16};
inline constexpr std::int64_t word = 64;

/// Grains come from schedules that nobody asked for.
inline std::vector<Limit> limits_of_code() {
    using namespace limits;
    std::vector<Limit> all{
        {"a line", line_elements, Of::elements},
        {"a word of bits, a tile of random bits", philox::tile, Of::elements},
        {"a segment", segment_length, Of::elements},
        {"a tile of bytes, a group of words", tile_of_bytes, Of::elements},
        {"groups of words in one look", group_words * word * word, Of::elements},
        {"a batch of lines", static_cast<std::int64_t>(lines_batch) * line_elements, Of::elements},
        {"a small call", small_call, Of::elements},
        {"words that are counted without samples", counted_words * word, Of::elements},
        {"samples of a mask", sample_words * sample_apart * word, Of::elements},
        {"a part of a call", most_in_part, Of::elements},
        {"a part of a call that repeats values", most_repeated, Of::elements},
        {"the smallest parts, all that are wanted", parts_wanted * small_call, Of::elements},
        {"the largest parts, all that are wanted", parts_wanted * most_in_part, Of::elements},
        {"words whose lines are counted in one sum", counted_lines * word, Of::elements},
        {"elements of one task of several calls", task_elements, Of::elements},

        {"a batch of positions", static_cast<std::int64_t>(gather_batch), Of::specified},
        {"a part of a prepared list", prepared_in_part, Of::specified},
        {"entries of a task", default_schedule(Strategy::gather).grain, Of::specified},

        {"lanes of a fold", fold_chunk, Of::folded},
        {"a turn of each block of a fold", std::int64_t{fold_chunk} * fold_blocks, Of::folded},
        {"a block of a running sum", scan_block, Of::folded},
        {"folds on threads", least_for_threads, Of::folded},
        {"rows that are added at once", fold_rows, Of::folded},
        {"rows of a task of a fold", fold_task_rows, Of::lines},

        {"expressions that are interpreted", EvalPolicy().small_elements, Of::whole},
        {"expressions on threads", least_for_threads, Of::whole},
        {"expressions of eight operations on threads", least_in_all_for_threads / 8, Of::whole},
        {"elements of a mask that a thread copies", mask_task, Of::whole},

        {"lists that are sorted by comparing", static_cast<std::int64_t>(short_list), Of::entries},
        {"rows of a part", most_part_rows, Of::entries},
        {"indices of one digit", std::int64_t{1} << most_digit_bits, Of::bound},
        {"indices of two digits", std::int64_t{1} << 2 * most_digit_bits, Of::bound},
        {"indices of 32 bits", narrow_index, Of::bound},
        {"listed elements of a task", task_elements, Of::listed},
        {"rows whose part is one of them", row_part_bytes / 4, Of::length},
        {"elements that are summed in a piece", summed_at_once, Of::length},
    };
    for (const Strategy strategy : {Strategy::dense, Strategy::skip})
        all.push_back({"a task of a loop", default_schedule(strategy).grain, Of::elements});
    all.push_back({"columns of the largest tasks of a fold", fold_task_columns * fold_tasks, Of::lines});
    for (const std::int64_t width : lanes) {
        all.push_back({"strips of a task of a fold", width * fold_task_vectors, Of::lines});
        all.push_back({"strips of the least tasks", width * fold_task_vectors * fold_tasks, Of::lines});
        all.push_back({"vectors of a task", width * task_vectors, Of::whole});
    }
    return all;
}

/// Numbers on both sides of a limit, and past twice the limit.
inline std::vector<std::int64_t> around(std::int64_t limit) {
    return {limit - 1, limit, limit + 1, 2 * limit + 1};
}

/// The sizes around all limits of a kind that are not above `most`, ascending, each once.
inline std::vector<std::int64_t> sizes_of(Of of, std::int64_t most) {
    std::vector<std::int64_t> sizes;
    for (const Limit& limit : limits_of_code())
        if (limit.of == of && limit.value <= most)
            for (const std::int64_t size : around(limit.value)) sizes.push_back(size);
    std::ranges::sort(sizes);
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    return sizes;
}

/// Positions where loops begin and end: those next to the limits of a kind, the first and the last.
inline std::vector<std::int64_t> edges_of(Of of, std::int64_t size) {
    std::vector<std::int64_t> edges{0, size - 1};
    for (const std::int64_t edge : sizes_of(of, size))
        if (edge < size) edges.push_back(edge);
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    std::erase_if(edges, [](std::int64_t edge) { return edge < 0; });
    return edges;
}

}  // namespace frisket::testing
