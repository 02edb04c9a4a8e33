// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../bits.hpp"
#include "../elements.hpp"
#include "first_failure.hpp"
#include "listed.hpp"
#include "pattern.hpp"
#include "words.hpp"

/// Loops over elements that lie without gaps, part after part: the mask as bit words, or first made into a
/// list.
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
    const auto bring_part = [&](std::int64_t task) {
        const std::int64_t first = task * task_entries;
        bring(call, positions.subspan(first, std::min(task_entries, length - first)), first);
    };
    if (length <= task_entries)
        bring_part(0);
    else
        parallel_for(call.source, static_cast<int>((length + task_entries - 1) / task_entries), bring_part);
    run_gather(call, {.positions = positions}, call.count);
}

/// The same; the list is made first.
void gather(const Call& call, const std::uint64_t* words, const MaskCounts& counts) {
    const std::int64_t word_count = words_for(call.count);
    auto& positions = call.frame.positions;
    const bool is_counted = counts.words == word_count;
    positions.resize(
        static_cast<std::size_t>(is_counted ? counts.specified : count_bits(words, 0, word_count)));
    positions_of_bits(words, 0, word_count, positions.data());
    gather(call, positions);
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
    auto& lines = call.frame.positions;
    lines.resize(static_cast<std::size_t>(4 * whole));
    lines.resize(static_cast<std::size_t>(nonzero_lines(words, 0, whole, lines)));
    blend_lines(call, lines);
}

/// Runs the loop of a strategy over the domain's mask.
void run_masked(const Call& call, Strategy strategy, const MaskCounts& counts) {
    const std::uint64_t* const words = call.frame.flat[call.signature.domain].words;
    const bool is_long = call.count > segment_elements;
    if (strategy == Strategy::gather && !is_long) return gather(call, words, counts);
    if (strategy == Strategy::lines && !is_long) return blend_lines(call, words);
    const bool walks_list = strategy == Strategy::gather || strategy == Strategy::lines;
    run_tiles(call, walks_list ? Strategy::skip : strategy);
}

/// Walks a list that was made before the call.
void run_pattern(const Call& call, const MaskPattern& pattern) {
    const Choice choice = call.source.choose(call.situation(Layout::bitmask, pattern.counts));
    const Call chosen = call.with(choice);
    if (choice.strategy != pattern.strategy || pattern.list.empty())
        run_masked(chosen, choice.strategy, pattern.counts);
    else
        choice.strategy == Strategy::gather ? gather(chosen, pattern.list)
                                            : blend_lines(chosen, pattern.list);
}

/// Steps a call, or a part of one, by what its own mask is like.
void run_masked(const Call& call) {
    auto& operands = call.frame.flat;
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_masked(i) && operands[i].bytes != nullptr)
            operands[i].words = words_from_bytes(call, i, operands[i].bytes);
    if (call.signature.domain < 0) return run_tiles(call, Strategy::blend);
    const std::uint64_t* const words = operands[call.signature.domain].words;
    const MaskCounts counts =
        element_count(call.space) <= small ? MaskCounts{} : counts_of(words, words_for(call.count));
    const Choice choice = call.source.choose(call.situation(Layout::bitmask, counts));
    run_masked(call.with(choice), choice.strategy, counts);
}

/// Elements of a part: its mask's bits, and lists made of them, stay in the second cache.
std::int64_t part_elements(const Call& call) {
    constexpr std::int64_t most = 1 << 18, parts_wanted = 16;
    if (!call.source.runs_on_host()) return call.count;
    return std::clamp(words_for(call.count / parts_wanted) * 64, small, most);
}

/// Parts side by side, each with memory of its own: one look at the mask, while it is in cache, serves all.
void run_parts(const Call& call, std::int64_t each) {
    FirstFailure failure;
    const auto run_part = [&](std::int64_t part) {
        const FrameLease lease;
        Frame& frame = lease.frame;
        frame.fit(call.signature, call.frame.numbers.size());
        frame.numbers = call.frame.numbers;
        const std::int64_t begin = part * each;
        for (int i = 0; i < call.parameter_count(); ++i) {
            if (!call.is_tensor(i)) continue;
            frame.flat[i] = call.frame.flat[i];
            FlatOperand& operand = frame.flat[i];
            operand.values =
                static_cast<const std::byte*>(operand.values) + begin * bytes_of(call.parameter(i).dtype);
            if (operand.words != nullptr) operand.words += begin / 64;
            if (operand.bytes != nullptr) operand.bytes += begin;
        }
        run_masked({call.source, call.signature, call.arguments, call.space,
                    std::min(each, call.count - begin), frame, begin});
    };
    parallel_for(call.source, static_cast<int>((call.count + each - 1) / each),
                 [&](std::int64_t part) { failure.guard([&] { run_part(part); }); });
    failure.rethrow();
}

}  // namespace

void run_flat(const Call& call) {
    bool any_mask = false;
    for (int i = 0; i < call.parameter_count(); ++i)
        any_mask |=
            call.is_masked(i) && (call.frame.flat[i].words != nullptr || call.frame.flat[i].bytes != nullptr);
    if (!any_mask) {
        const Choice choice = call.source.choose(call.situation(Layout::dense));
        return run_tiles(call.with(choice), Strategy::dense);
    }
    const bool has_domain = call.signature.domain >= 0;
    const MaskPattern* const pattern = has_domain ? call.frame.flat[call.signature.domain].pattern : nullptr;
    if (pattern != nullptr) return run_pattern(call, *pattern);
    const std::int64_t each = part_elements(call);
    each < call.count ? run_parts(call, each) : run_masked(call);
}

}  // namespace frisket
