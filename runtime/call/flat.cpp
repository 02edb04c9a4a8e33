// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "../bits.hpp"
#include "../elements.hpp"
#include "listed.hpp"
#include "pattern.hpp"
#include "words.hpp"

/// Loops over elements that lie without gaps: the mask as bit words, or first made into a list.
namespace frisket {

namespace {

constexpr std::int64_t small = 16384;  // below this many elements counting costs more than it tells

/// Arguments of a flat loop over the elements from `begin` on, seen as tiles.
void add_operands(const Call& call, Strategy strategy, std::int64_t begin, std::span<const LoopDim> tiles) {
    const auto add_values = [&](int i) {
        const DType dtype = call.parameter(i).dtype;
        const auto* values = static_cast<const std::byte*>(call.frame.flat[i].values);
        call.frame.loop.add(values + begin * bytes_of(dtype), loop_type(dtype), tiles);
    };
    const LoopDim word_dims[] = {{words_for(tiles[0].extent * tiles[1].extent), 1}};
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_written(i)) continue;
        add_values(i);
        if (call.is_masked(i) && strategy != Strategy::dense)
            call.frame.loop.add(call.frame.flat[i].words + begin / 64, words_type, word_dims);
    }
    for (int i : call.signature.outputs) add_values(i);
}

/// Loops over words, from element `begin` on, a multiple of 64.
void run_tiles(const Call& call, Strategy strategy, std::int64_t begin = 0) {
    for (; begin < call.count; begin += segment_elements) {
        const std::int64_t count = std::min(segment_elements, call.count - begin);
        const LoopDim tiles[] = {{64, 1}, {words_for(count), 64}};
        call.begin_loop(begin, count);
        add_operands(call, strategy, begin, tiles);
        call.source.run(strategy, call.frame.loop.argv());
    }
}

void run_tasks(const Call& call, int tasks, const auto& body) {
    tasks == 1 ? body(0) : parallel_for(call.source, tasks, body);
}

/// Runs `body(task, begin, end)` over parts of the words.
void for_each_part(const Call& call, std::int64_t word_count, const auto& body) {
    run_tasks(call, tasks_of(word_count), [&](std::int64_t task) {
        const std::int64_t begin = task * words_per_task;
        body(task, begin, std::min(begin + words_per_task, word_count));
    });
}

/// Sets call.frame.offsets to where each part of a list starts, and gives its length: `count(words, begin,
/// end)` says how many entries words give.
std::int64_t count_list(const Call& call, const std::uint64_t* words, std::int64_t word_count,
                        const auto& count) {
    auto& offsets = call.frame.offsets;
    offsets.assign(static_cast<std::size_t>(tasks_of(word_count)) + 1, 0);
    for_each_part(call, word_count, [&](std::int64_t task, std::int64_t begin, std::int64_t end) {
        offsets[task + 1] = count(words, begin, end);
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets.back();
}

/// Makes call.frame.positions: `find(begin, end, part, first)` writes the entries of some words to their part
/// of the list, which starts at entry `first`.
void fill_list(const Call& call, std::int64_t word_count, const auto& find) {
    const auto& offsets = call.frame.offsets;
    auto& list = call.frame.positions;
    list.resize(static_cast<std::size_t>(offsets.back()));
    for_each_part(call, word_count, [&](std::int64_t task, std::int64_t begin, std::int64_t end) {
        const std::int64_t first = offsets[task];
        find(begin, end, std::span(list).subspan(first, offsets[task + 1] - first), first);
    });
}

/// Room for the values of the listed parameters, in the order of a list.
void make_room(const Call& call, std::int64_t length) {
    Frame& frame = call.frame;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_listed(i)) continue;
        frame.values[i].resize(static_cast<std::size_t>(length * bytes_of(call.parameter(i).dtype)));
        frame.listed[i] = frame.values[i].data();
    }
}

/// The values of the listed parameters at a part of the list that starts at entry `first`.
void bring(const Call& call, std::span<const std::int32_t> positions, std::int64_t first) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_listed(i)) continue;
        dispatch_width(call.parameter(i).dtype, [&]<class U>() {
            const U* from = static_cast<const U*>(call.frame.flat[i].values);
            U* to = reinterpret_cast<U*>(call.frame.values[i].data()) + first;
            for (std::size_t k = 0; k < positions.size(); ++k) to[k] = from[positions[k]];
        });
    }
}

/// Walks a list of positions.
void gather(const Call& call, std::span<const std::int32_t> positions) {
    constexpr std::int64_t task_entries = 65536;
    const auto length = static_cast<std::int64_t>(positions.size());
    make_room(call, length);
    run_tasks(call, static_cast<int>((length + task_entries - 1) / task_entries), [&](std::int64_t task) {
        const std::int64_t first = task * task_entries;
        bring(call, positions.subspan(first, std::min(task_entries, length - first)), first);
    });
    run_gather(call, {.positions = positions}, call.count);
}

/// The same; the list is made first.
void gather(const Call& call, const std::uint64_t* words) {
    const std::int64_t word_count = words_for(call.count);
    make_room(call, count_list(call, words, word_count, count_bits));
    fill_list(call, word_count, [&](auto begin, auto end, std::span<std::int32_t> part, auto first) {
        positions_of_bits(words, begin, end, part.data());
        bring(call, part, first);
    });
    run_gather(call, {.positions = call.frame.positions}, call.count);
}

/// Blends the lines of a list, and the last word, if it is cut, beside it.
void blend_lines(const Call& call, std::span<const std::int32_t> lines) {
    if (!lines.empty()) {
        const std::int64_t whole = call.count / 64 * 64;
        const LoopDim list_dims[] = {{static_cast<std::int64_t>(lines.size()), 1}};
        const LoopDim tiles[] = {{line_elements, 1}, {whole / line_elements, line_elements}};
        call.begin_loop(0);
        call.frame.loop.add(lines.data(), index_type, list_dims);
        add_operands(call, Strategy::lines, 0, tiles);
        call.source.run(Strategy::lines, call.frame.loop.argv());
    }
    run_tiles(call, Strategy::skip, call.count / 64 * 64);
}

/// The same; the list is made first.
void blend_lines(const Call& call, const std::uint64_t* words) {
    const std::int64_t whole = call.count / 64;
    count_list(call, words, whole, count_nonzero_lines);
    fill_list(call, whole, [&](auto begin, auto end, std::span<std::int32_t> part, auto /*first*/) {
        nonzero_lines(words, begin, end, part);
    });
    blend_lines(call, call.frame.positions);
}

/// Runs the loop of a strategy over the domain's mask.
void run_masked(const Call& call, Strategy strategy) {
    const auto& [values, words, pattern] = call.frame.flat[call.signature.domain];
    const bool walks_list = strategy == Strategy::gather || strategy == Strategy::lines;
    if (!walks_list) return run_tiles(call, strategy);
    if (call.count > segment_elements) return run_tiles(call, Strategy::skip);
    if (pattern != nullptr && pattern->strategy == strategy)
        strategy == Strategy::gather ? gather(call, pattern->list) : blend_lines(call, pattern->list);
    else
        strategy == Strategy::gather ? gather(call, words) : blend_lines(call, words);
}

}  // namespace

void run_flat(const Call& call) {
    bool any_mask = false;
    for (int i = 0; i < call.parameter_count(); ++i)
        any_mask |= call.is_masked(i) && call.frame.flat[i].words != nullptr;
    if (!any_mask) {
        const Choice choice = call.source.choose(call.situation(Layout::dense));
        return run_tiles(call.with(choice), Strategy::dense);
    }
    if (call.signature.domain < 0) return run_tiles(call, Strategy::blend);
    const auto& [values, words, pattern] = call.frame.flat[call.signature.domain];
    const MaskCounts counts = pattern != nullptr    ? pattern->counts
                              : call.count <= small ? MaskCounts{}
                                                    : sampled_counts(words, words_for(call.count));
    const Choice choice = call.source.choose(call.situation(Layout::bitmask, counts));
    run_masked(call.with(choice), choice.strategy);
}

}  // namespace frisket
