// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "../bits.hpp"
#include "words.hpp"

/// Loops over elements that lie without gaps: the mask as bit words, or first made into a list.
namespace frisket {

namespace {

constexpr std::int64_t small = 16384;  // below this many elements counting costs more than it tells

/// Counts of the mask; of a large one, those of every eighth block of words, which tell as much.
MaskCounts sample(const std::uint64_t* words, std::int64_t word_count) {
    constexpr std::int64_t block = 64, apart = 8;
    const std::int64_t blocks = (word_count + block - 1) / block,
                       step = word_count > words_per_task ? apart : 1;
    MaskCounts counts;
    for (std::int64_t group = 0; group * step < blocks; ++group) {
        // Another one of each group, so that a mask that repeats itself does not show the same part always.
        const std::int64_t begin = (group * step + group * 5 % step) * block;
        const std::int64_t end = std::min(begin + block, word_count);
        if (begin >= end) continue;
        counts.specified += count_bits(words, begin, end);
        counts.words += end - begin;
        counts.words_with_any += count_nonzero_words(words, begin, end);
        counts.runs += count_runs(words, begin, end);
    }
    return counts;
}

/// Number of specified elements before each task, and in all.
void count_tasks(const Call& call, const std::uint64_t* words) {
    const std::int64_t word_count = words_for(call.count);
    auto& offsets = call.frame.offsets;
    offsets.assign(static_cast<std::size_t>(tasks_of(word_count)) + 1, 0);
    parallel_for(call.source, tasks_of(word_count), [&](std::int64_t task) {
        const std::int64_t begin = task * words_per_task;
        offsets[task + 1] = count_bits(words, begin, std::min(begin + words_per_task, word_count));
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
}

template <class T>
void bring(const void* from, std::span<const std::int32_t> positions, void* to) {
    const T* source = static_cast<const T*>(from);
    T* target = static_cast<T*>(to);
    for (std::size_t i = 0; i < positions.size(); ++i) target[i] = source[positions[i]];
}

void bring(DType dtype, const void* from, std::span<const std::int32_t> positions, void* to) {
    switch (bytes_of(dtype)) {
        case 1: return bring<std::uint8_t>(from, positions, to);
        case 2: return bring<std::uint16_t>(from, positions, to);
        case 4: return bring<std::uint32_t>(from, positions, to);
        default: return bring<std::uint64_t>(from, positions, to);
    }
}

/// Makes the list of specified positions and, for the listed parameters, of their values, then walks it.
void gather(const Call& call, const std::uint64_t* words) {
    const std::int64_t word_count = words_for(call.count);
    const int tasks = tasks_of(word_count);
    Frame& frame = call.frame;
    count_tasks(call, words);
    const std::int64_t specified = frame.offsets.back();
    frame.positions.resize(static_cast<std::size_t>(specified));
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_listed(i)) continue;
        frame.values[i].resize(static_cast<std::size_t>(specified) * bytes_of(call.parameter(i).dtype));
        frame.listed[i] = frame.values[i].data();
    }
    auto body = [&](std::int64_t task) {
        const std::int64_t begin = task * words_per_task, end = std::min(begin + words_per_task, word_count);
        const std::int64_t first = frame.offsets[task];
        std::int32_t* out = frame.positions.data() + first;
        const std::span found(out, static_cast<std::size_t>(positions_of_bits(words, begin, end, out)));
        for (int i = 0; i < call.parameter_count(); ++i)
            if (call.is_listed(i))
                bring(call.parameter(i).dtype, frame.flat[i].values, found,
                      frame.values[i].data() + first * bytes_of(call.parameter(i).dtype));
    };
    tasks == 1 ? body(0) : parallel_for(call.source, tasks, body);
    run_gather(call, {.positions = frame.positions}, call.count);
}

void run_tiles(const Call& call, Strategy strategy) {
    const auto& operands = call.frame.flat;
    for (std::int64_t begin = 0; begin < call.count; begin += segment_elements) {
        const std::int64_t count = std::min(segment_elements, call.count - begin), tiles = words_for(count);
        call.begin_loop(begin, count);
        auto add_values = [&](int i) {
            const DType dtype = call.parameter(i).dtype;
            call.frame.loop.add(static_cast<const std::byte*>(operands[i].values) + begin * bytes_of(dtype),
                                dtype, {{64, 1}, {tiles, 64}});
        };
        for (int i = 0; i < call.parameter_count(); ++i) {
            if (!call.is_tensor(i) || call.is_written(i)) continue;
            add_values(i);
            if (call.is_masked(i) && strategy != Strategy::dense) {
                const LoopDim dims[] = {{tiles, 1}};
                call.frame.loop.add(operands[i].words + begin / 64, halide_type_t(halide_type_uint, 64),
                                    dims);
            }
        }
        for (int i : call.signature.outputs) add_values(i);
        call.source.run(strategy, call.frame.loop.argv());
    }
}

}  // namespace

void run_flat(const Call& call) {
    bool any_mask = false;
    for (int i = 0; i < call.parameter_count(); ++i)
        any_mask |= call.is_masked(i) && call.frame.flat[i].words != nullptr;
    if (!any_mask) return run_tiles(call, Strategy::dense);
    if (call.signature.domain < 0) return run_tiles(call, Strategy::blend);
    const std::uint64_t* words = call.frame.flat[call.signature.domain].words;
    if (call.count <= small) return run_tiles(call, Strategy::skip);

    const Strategy strategy = choose(sample(words, words_for(call.count)));
    const bool fits = call.count <= segment_elements;
    if (strategy == Strategy::gather && fits) return gather(call, words);
    run_tiles(call, strategy == Strategy::gather ? Strategy::skip : strategy);
}

}  // namespace frisket
