// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../dispatch/mask_cache.hpp"
#include "../dispatch/mask_list.hpp"
#include "../dispatch/mask_statistics.hpp"
#include "../kernel/parts.hpp"
#include "../kernel/words.hpp"
#include "../kernel/workload_class.hpp"
#include "../limits.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/show.hpp"
#include "coalesce_domain.hpp"
#include "flat_view.hpp"
#include "repeated.hpp"

/// Loops over elements without gaps, part after part: the mask as bit words, or first made into a
/// list.
namespace frisket::kernel_calls {

namespace {

/// Runs the loop of a strategy; `elements`: that it walks, of tiles.
void run_loop(const Call& call, Strategy strategy, const FlatView& view, std::int64_t elements = 0) {
    call.run(strategy,
             pack(call.source.abi(strategy), call.numbers(view.begin, elements), call.scratch.loop, view));
}

/// Loops over words, of the elements from `begin` on, a multiple of 64, to `end`.
void run_tiles(const Call& call, Strategy strategy, std::int64_t begin, std::int64_t end) {
    for (; begin < end; begin += segment_elements) {
        const std::int64_t count = std::min(segment_elements, end - begin);
        const LoopDim tiles[] = {{64, 1}, {runtime::words_for(count), 64}};
        FlatView view{.scratch = call.scratch, .begin = begin, .dims = tiles};
        if (strategy == Strategy::bytes) {
            view.list = call.scratch.flat[call.signature.domain].bytes + begin;
            view.list_dim.extent = count / 8;
        }
        run_loop(call, strategy, view, count);
    }
}
void run_tiles(const Call& call, Strategy strategy) { run_tiles(call, strategy, 0, call.count); }

/// Runs tiles of the ranges of words that have bits, if these are few: the words between are not read again.
void run_ranges(const Call& call, Strategy strategy) {
    constexpr std::size_t few = limits::few_ranges;
    const auto& ranges = call.scratch.ranges;
    if (ranges.size() > few) return run_tiles(call, strategy);
    for (const runtime::WordRange& range : ranges)
        run_tiles(call, strategy, range.begin * 64, std::min(range.end * 64, call.count));
}

/// Fetches elements that loops will touch: at each position, the given number of elements of each tensor.
void fetch(const Call& call, std::span<const std::int32_t> places, std::int64_t elements) {
    constexpr std::int64_t line_bytes = 64;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        const std::int64_t bytes = elements * bytes_of(call.parameter(i).dtype);
        const auto* const values = static_cast<const std::byte*>(call.scratch.flat[i].values);
        for (const std::int32_t place : places)
            for (std::int64_t at = 0; at < bytes; at += line_bytes)
                __builtin_prefetch(values + place * bytes + at, 0, 2);
    }
}

/// Runs a list in batches that stay in the second cache: while one is stepped, the elements of the next one
/// are fetched.
void in_batches(std::span<const std::int32_t> list, std::size_t batch, const auto& fetch_batch,
                const auto& run_batch) {
    if (list.empty()) return;
    const auto first = [&] { return list.first(std::min(batch, list.size())); };
    fetch_batch(first());
    while (!list.empty()) {
        const auto now = first();
        list = list.subspan(now.size());
        fetch_batch(first());
        run_batch(now);
    }
}

/// The values of the listed parameters at these positions, in their order.
void gather_values(const Call& call, std::span<const std::int32_t> positions) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_listed(i)) continue;
        auto& room = call.scratch.values[i];
        room.resize(positions.size() * static_cast<std::size_t>(bytes_of(call.parameter(i).dtype)));
        call.scratch.listed[i] = room.data();
        runtime::dispatch_width(call.parameter(i).dtype, [&]<class U>() {
            const runtime::Reader<U> from(call.scratch.flat[i].values);
            U* to = reinterpret_cast<U*>(room.data());
            for (const std::int32_t position : positions) *to++ = from[position];
        });
    }
}

/// Walks a list of positions.
void gather(const Call& call, std::span<const std::int32_t> positions) {
    in_batches(
        positions, limits::gather_batch, [&](std::span<const std::int32_t> part) { fetch(call, part, 1); },
        [&](std::span<const std::int32_t> part) {
            gather_values(call, part);
            run_gather(call, {.positions = part}, call.count);
        });
}

/// Blends the lines of a list.
void blend_lines(const Call& call, std::span<const std::int32_t> lines) {
    constexpr std::size_t batch = limits::lines_batch;
    const LoopDim tiles[] = {{line_elements, 1}, {call.count / 64 * (64 / line_elements), line_elements}};
    in_batches(
        lines, batch, [&](std::span<const std::int32_t> part) { fetch(call, part, line_elements); },
        [&](std::span<const std::int32_t> part) {
            run_loop(call, Strategy::lines,
                     {.scratch = call.scratch,
                      .begin = 0,
                      .dims = tiles,
                      .list = part.data(),
                      .list_dim = {std::ssize(part), 1}});
        });
}

/// Steps the segments of a list as dense.
void step_segments(const Call& call, std::span<const std::int32_t> segments) {
    if (segments.empty()) return;
    const LoopDim elements[] = {{call.count, 1}};
    run_loop(call, Strategy::segments,
             {.scratch = call.scratch,
              .begin = 0,
              .dims = elements,
              .list = segments.data(),
              .list_dim = {std::ssize(segments), 1}});
}

/// Walks a list of positions, of lines or of segments.
void run_list(const Call& call, Strategy strategy, std::span<const std::int32_t> list) {
    if (strategy == Strategy::gather) return gather(call, list);
    strategy == Strategy::lines ? blend_lines(call, list) : step_segments(call, list);
}

/// The word that has no lines of its own, if it is cut.
void run_last_word(const Call& call, Strategy strategy) {
    if (strategy == Strategy::lines) run_tiles(call, Strategy::skip, call.count / 64 * 64, call.count);
}

/// Runs the loop of a strategy over the domain's mask.
void run_chosen(const Call& call, Strategy strategy) {
    if (strategy == Strategy::bytes) strategy = Strategy::skip;  // the mask came, or became, bits
    if (!walks_list(strategy)) return run_ranges(call, strategy);
    if (call.count > segment_elements) return run_ranges(call, Strategy::skip);
    const std::uint64_t* const words = call.scratch.flat[call.signature.domain].words;
    run_list(call, strategy,
             list_of(strategy, {words, call.count, call.scratch.ranges}, call.scratch.positions));
    run_last_word(call, strategy);
}

/// Reports, on request, the strategy of a call's first part and why() it was chosen; again if it changes.
void tell(const Call& call, const Variant& variant, const auto& why) {
    thread_local std::pair<const KernelModule*, Strategy> told{nullptr, Strategy::dense};
    const std::pair<const KernelModule*, Strategy> now{&call.source, variant.strategy};
    if (call.first != 0 || told == now || !runtime::shows("schedule")) return;
    told = now;
    try {
        runtime::show("schedule", call.signature.name,
                      "chose " + std::string(name_of(variant.strategy)) + " for elements 0 to " +
                          std::to_string(call.count - 1) + " of " +
                          std::to_string(element_count(call.space)) +
                          (variant.is_tuned() ? ", as tuning found: " : ": ") + why());
    } catch (const std::bad_alloc&) { return; }  // other parts may have written
}

/// Variant for a call whose masks are bytes, if the loop `bytes` beats making bits of them; nothing
/// otherwise.
std::optional<Variant> variant_of_bytes(const Call& call) {
    if (call.count < limits::tile_of_bytes || call.signature.domain < 0 || !call.source.may_walk_bytes())
        return {};
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_masked(i) && call.scratch.flat[i].bytes == nullptr) return {};
    const MaskCounts counts = counts_of_bytes(call.scratch.flat[call.signature.domain].bytes, call.count);
    const Variant variant = call.source.choose(call.query(Layout::strided, counts));
    if (variant.strategy != Strategy::bytes) return {};
    tell(call, variant, [&] { return explained(counts); });
    return variant;
}

/// Makes words of the masks that are bytes.
void make_words(const Call& call) {
    auto& operands = call.scratch.flat;
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_masked(i) && operands[i].bytes != nullptr)
            operands[i].words = words_from_bytes(call, i, operands[i].bytes);
}

/// Reserves the memory of make_words() for the given number of elements.
void reserve_words(const Call& call, Scratch& scratch, std::int64_t count) {
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_masked(i) && call.scratch.flat[i].bytes != nullptr)
            scratch.words[i].reserve(static_cast<std::size_t>(runtime::words_for(count)));
}

/// Steps a call, or a part of one, by the properties of its own mask.
void run_masked(Call& call) {
    if (const auto variant = variant_of_bytes(call)) {
        call.chosen = *variant;
        return run_tiles(call, Strategy::bytes);
    }
    make_words(call);
    auto& operands = call.scratch.flat;
    if (call.signature.domain < 0) {
        const Variant variant = call.source.choose(query_of_several_masks(call.space));
        tell(call, variant, [] { return "updates have several masks"; });
        call.chosen = variant;
        return run_tiles(call, Strategy::blend);
    }
    // Counting costs more than the cost model gains in short calls; records gain more.
    const bool is_short = element_count(call.space) <= small_call;
    if (!is_short || call.source.knows_small_calls()) {
        const MaskCounts counts = counts_of(operands[call.signature.domain].words,
                                            runtime::words_for(call.count), call.scratch.ranges);
        const Variant variant = call.source.choose(call.query(Layout::bitmask, counts));
        if (!is_short || variant.is_tuned()) {
            tell(call, variant, [&] { return explained(counts); });
            call.chosen = variant;
            return run_chosen(call, variant.strategy);
        }
    }
    const Variant variant = call.source.choose(call.query(Layout::bitmask));
    call.scratch.ranges = {{0, runtime::words_for(call.count)}};
    call.chosen = variant;
    run_chosen(call, variant.strategy);
}

/// Elements of a part: its mask's bits, lists computed from them, and values that are repeated for it, stay
/// in the second cache.
std::int64_t part_elements(const Call& call) {
    return std::clamp(runtime::words_for(call.count / limits::parts_wanted) * 64, small_call,
                      repeats(call) ? limits::most_repeated : limits::most_in_part);
}

/// Reserves in a scratch the memory that run_masked or a list of positions takes for the given number of
/// elements; for a list that was made before, only the memory of its batches.
void reserve(const Call& call, Scratch& scratch, std::int64_t count, bool makes_lists) {
    scratch.fit(call.signature, call.source.number_count());
    const auto words = static_cast<std::size_t>(runtime::words_for(count));
    for (int i = 0; i < call.parameter_count(); ++i)
        if (is_repeated(call, i))
            scratch.values[i].reserve(static_cast<std::size_t>(count * bytes_of(call.parameter(i).dtype)));
        else if (call.is_listed(i))
            scratch.values[i].reserve(limits::gather_batch * bytes_of(call.parameter(i).dtype));
    if (makes_lists) {
        reserve_words(call, scratch, count);
        scratch.ranges.reserve(words / 16 + 2);  // groups of 8 words with unlisted words between them
        scratch.positions.reserve(static_cast<std::size_t>(count) + words + 64);
    }
    call.reserve(scratch.loop);
}

/// Calls body with the elements from `begin` on as a call that has this memory.
void in_memory(const Call& call, Scratch& scratch, std::int64_t begin, std::int64_t count, const auto& body) {
    std::copy_n(call.scratch.numbers.begin(), call.source.number_count(), scratch.numbers.begin());
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        FlatOperand& operand = scratch.flat[i] = call.scratch.flat[i];
        if (operand.repeated != nullptr) continue;
        operand.values =
            static_cast<const std::byte*>(operand.values) + begin * bytes_of(call.parameter(i).dtype);
        if (operand.words != nullptr) operand.words += begin / 64;
        if (operand.bytes != nullptr) operand.bytes += begin;
    }
    repeat_values(call, scratch, begin, count);
    Call part{call.source, call.signature, call.arguments, call.space, count,
              scratch,     begin,          nullptr,        call.chosen};
    body(part);
}

/// Runs body(part, begin, count) for parts of so much, side by side, each in memory of its own, which makes
/// room(scratch).
void in_parts(const Call& call, Parts& parts, Scratch& spare, const auto& room, const auto& part) {
    parts.run([&](int tasks, const auto& task) { parallel_for(call.source, tasks, task); },
              [&](std::int64_t i) {
                  const FrameLease lease;
                  room(lease.scratch);
                  part(lease.scratch, i);
              });
    parts.finish([&](std::int64_t i) { part(spare, i); });
}

}  // namespace

FlatRun::FlatRun(Call& call) : call_(call) {
    bool any_mask = false;
    for (int i = 0; i < call.parameter_count(); ++i)
        any_mask |= call.is_masked(i) &&
                    (call.scratch.flat[i].words != nullptr || call.scratch.flat[i].bytes != nullptr);
    any_mask_ = any_mask;
    repeats_ = repeats(call);
    if (!any_mask) {
        call.chosen = call.source.choose(call.query(Layout::dense));
        return;
    }
    const MaskCache* const pattern =
        call.signature.domain >= 0 ? call.scratch.flat[call.signature.domain].pattern : nullptr;
    // Rows that no loop over rows can walk are walked as bits: not if a schedule asks for loops over rows.
    if (call.domain_layout() == Layout::rows) call.source.choose(call.query(Layout::bitmask));
    if (pattern == nullptr || repeats_) return;  // a list leads anywhere
    const Variant variant = call.source.choose(call.query(Layout::bitmask, pattern->counts));
    if (variant.strategy != pattern->strategy || pattern->list.empty()) return;
    pattern_ = pattern;
    call.chosen = variant;
}

std::int64_t FlatRun::part_count() const {
    if (is_one_loop() || (pattern_ == nullptr && call_.count <= small_call)) return 1;
    const std::int64_t size = pattern_ != nullptr ? std::ssize(pattern_->list) : call_.count,
                       each = pattern_ != nullptr ? limits::prepared_in_part : part_elements(call_);
    return (size + each - 1) / each;
}

void FlatRun::make_parts() {
    const std::int64_t count = part_count();
    if (count == 1 || parts_) return;
    parts_.emplace(count);
    spare_ = call_.spare != nullptr ? call_.spare : &own_spare_.emplace().scratch;
    kernel_calls::reserve(call_, *spare_, pattern_ != nullptr ? call_.count : part_elements(call_),
                          pattern_ == nullptr);
}

void FlatRun::reserve() {
    make_parts();
    if (pattern_ != nullptr) reserve_words(call_, call_.scratch, call_.count);
    if (is_one_loop() || parts_)
        call_.reserve(call_.scratch.loop);
    else
        kernel_calls::reserve(call_, call_.scratch, call_.count, pattern_ == nullptr);
}

void FlatRun::run() {
    if (is_one_loop()) return run_tiles(call_, Strategy::dense);
    make_parts();
    if (pattern_ != nullptr) return run_prepared();
    if (parts_) return run_parts();
    repeat_values(call_, call_.scratch, 0, call_.count);
    run_part(call_);
}

void FlatRun::run_part(Call& part) const { is_dense() ? run_tiles(part, Strategy::dense) : run_masked(part); }

/// Walks a list that was made before the call; other masks than the list's may be bytes.
void FlatRun::run_prepared() {
    const Call& call = call_;
    make_words(call);
    call.reserve(call.scratch.loop);  // for the last word's
    if (!parts_) {
        run_list(call, pattern_->strategy, pattern_->list);
    } else {
        in_parts(
            call, *parts_, *spare_,
            [&](Scratch& scratch) { kernel_calls::reserve(call, scratch, call.count, false); },
            [&](Scratch& scratch, std::int64_t i) {
                const auto list =
                    std::span(pattern_->list).subspan(static_cast<std::size_t>(i * limits::prepared_in_part));
                in_memory(call, scratch, 0, call.count, [&](const Call& part) {
                    run_list(part, pattern_->strategy,
                             list.first(std::min<std::size_t>(limits::prepared_in_part, list.size())));
                });
            });
    }
    run_last_word(call, pattern_->strategy);
}

/// One look at the mask of each part, while it is in cache, serves all.
void FlatRun::run_parts() {
    const std::int64_t each = part_elements(call_);
    in_parts(
        call_, *parts_, *spare_, [&](Scratch& scratch) { kernel_calls::reserve(call_, scratch, each, true); },
        [&](Scratch& scratch, std::int64_t i) {
            in_memory(call_, scratch, i * each, std::min(each, call_.count - i * each),
                      [&](Call& part) { run_part(part); });
        });
}

}  // namespace frisket::kernel_calls
