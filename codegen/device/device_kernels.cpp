// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device_kernels.hpp"

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/layouts/summing.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../scalar/ranks.hpp"
#include "../scalar/value.hpp"
#include "device_functions.hpp"
#include "device_schedule.hpp"

/// Kernels of lists: a thread for each element of the output, but for elements that go to positions that a
/// list names.
namespace frisket::codegen {

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::select;
using runtime::DeviceKernel;
using runtime::KernelArrayKind;

constexpr int list_chunk = 64;

Expr flag(const Expr& condition) { return select(condition, cast<std::uint8_t>(1), cast<std::uint8_t>(0)); }

/// An index clamped to [0, extent): a value read outside of an empty extent is not used.
Expr within(const Expr& index, const Expr& extent) { return Halide::clamp(index, 0, extent - 1); }

class DeviceKernelBuilder {
public:
    DeviceKernelBuilder(const runtime::DeviceKernelInfo& kernel, DType dtype)
        : kernel_(kernel), dtype_(dtype), out_(std::string(kernel.name) + "_") {
        for (int i = 0; i < kernel.numbers; ++i) numbers_.emplace_back("number_" + std::to_string(i));
        for (const KernelArrayKind array : kernel.inputs)
            if (array != KernelArrayKind::none)
                inputs_.emplace_back(Halide::Type(runtime::type_of(array, dtype)), 2,
                                     "input_" + std::to_string(inputs_.size()));
    }

    BuiltLoops built() {
        define();
        std::vector<Halide::Argument> arguments{lowering::opaque_zero()};
        for (const auto& number : numbers_) arguments.emplace_back(number);
        for (const auto& input : inputs_) arguments.emplace_back(input);
        BuiltLoops loops{Halide::Pipeline(out_), std::move(arguments)};
        loops.kernels = count_kernels(loops.pipeline);
        return loops;
    }

private:
    Expr number(int i) const { return numbers_[static_cast<std::size_t>(i)]; }
    Expr size(int input) const { return inputs_[static_cast<std::size_t>(input)].dim(0).extent(); }
    Expr size() { return out_.output_buffer().dim(0).extent(); }
    /// An element of an input, wherever it begins in its block.
    Expr at(int input, const Expr& index) const {
        return inputs_[static_cast<std::size_t>(input)](
            Halide::unsafe_promise_clamped(index, 0, size(input) - 1), 1);
    }

    void define() {
        if (kernel_.kernel == DeviceKernel::scatter) return scatter();
        if (kernel_.kernel == DeviceKernel::sort_chunks) return sort_chunks();
        if (kernel_.kernel == DeviceKernel::count_missed || kernel_.kernel == DeviceKernel::note_step)
            return put_steps();
        out_(x_) = cast(Halide::Type(runtime::type_of(kernel_.output, dtype_)), element());
        out_.gpu_tile(x_, block_, thread_, block_threads, Halide::TailStrategy::GuardWithIf);
        for (Func& step : steps_) step.compute_at(out_, thread_);
    }

    /// An element of the output.
    Expr element() {
        switch (kernel_.kernel) {
            case DeviceKernel::iota: return x_;
            case DeviceKernel::fill: return given_element();
            case DeviceKernel::gather: return at(1, at(0, x_ / number(0)) * number(0) + x_ % number(0));
            case DeviceKernel::copy_view: {
                Expr rest = x_, place = 0;
                for (int d = 3; d > 0; --d) {
                    place = place + rest % number(d - 1) * number(3 + d);
                    rest = rest / number(d - 1);
                }
                return at(0, place + rest * number(3));
            }
            case DeviceKernel::blend: return select(at(1, x_) != 0, at(0, x_), given_element());
            case DeviceKernel::unpack_bits: return at(0, x_ / 64) >> cast<std::uint64_t>(x_ % 64) & 1;
            case DeviceKernel::pack_bits: return packed();
            case DeviceKernel::count_bits: return counted();
            case DeviceKernel::chunk_totals:
                return summed(RDom(0, list_chunk), [this](const Expr& r) {
                    const Expr from = x_ * list_chunk + r;
                    return select(from < size(0), at(0, within(from, size(0))), 0);
                });
            case DeviceKernel::chunk_sums: return running_sum();
            case DeviceKernel::positions_of_bits: return position_of_bit();
            case DeviceKernel::add_index: return at(0, x_) * number(0) + cast<std::int32_t>(at(1, x_));
            case DeviceKernel::find_outside:
                return flag(at(0, x_) < 0 || at(0, x_) >= cast(inputs_[0].type(), number(0)));
            case DeviceKernel::find_unequal: return flag(at(0, x_) != at(1, x_));
            case DeviceKernel::make_keys: {
                const Expr place = at(0, x_), length = number(1);
                const Expr index = place % length * number(0) + place / length;
                return cast<std::int64_t>(index) << 32 | cast<std::int64_t>(x_);
            }
            case DeviceKernel::merge_runs: return merged();
            case DeviceKernel::find_first:
                return flag(x_ == 0 || at(0, x_) >> 32 != at(0, Halide::max(x_ - 1, 0)) >> 32);
            case DeviceKernel::key_places: {
                const Expr index = cast<std::int32_t>(at(0, at(1, x_)) >> 32), lines = number(0);
                return index % lines * number(1) + index / lines;
            }
            case DeviceKernel::key_entries: return entry_of(x_);
            case DeviceKernel::sum_runs:
            case DeviceKernel::sum_runs_wide: return sum_of_run();
            case DeviceKernel::row_flags: {
                const Expr length = number(0);
                const Expr found = summed(RDom(0, length), [&](const Expr& r) {
                    return select(at(0, x_ * length + r) != 0, 1, 0);
                });
                return flag(found >= number(1) && found <= number(2));
            }
            case DeviceKernel::slots_of_groups: return slot();
            case DeviceKernel::pack_list: return packed_list();
            case DeviceKernel::rank_list: return ranked_list();
            default: throw Bug("list kernel " + std::string(kernel_.name) + " has no element");
        }
    }

    /// The element whose bits are two numbers.
    Expr given_element() const {
        const auto half = [this](int i) { return cast<std::uint64_t>(cast<std::uint32_t>(number(i))); };
        const Halide::Type type(runtime::type_of(kernel_.output, dtype_));
        return cast(type, half(0) | half(1) << cast<std::uint64_t>(32));
    }
    Func& step(const std::string& name) { return steps_.emplace_back(name); }
    Expr entry_of(const Expr& i) const { return cast<std::int32_t>(at(0, i) & 0xffffffff); }

    /// The sum of terms, which are int32.
    template <class Term>
    Expr summed(const RDom& terms, const Term& term) {
        Func& sum = step("sum");
        sum(x_) = 0;
        sum(x_) += term(terms);
        return sum(x_);
    }

    Expr packed() {
        const RDom bit(0, 64);
        Func& word = step("word");
        word(x_) = cast<std::uint64_t>(0);
        const Expr from = x_ * 64 + bit;
        const Expr is_set = from < size(0) && at(0, within(from, size(0))) != 0;
        word(x_) = word(x_) | cast<std::uint64_t>(select(is_set, 1, 0)) << cast<std::uint64_t>(bit);
        return word(x_);
    }

    /// The rows of a list that share a word: it has a bit for each element of theirs.
    Expr packed_list() {
        const Expr length = number(0), begin = cast<std::int64_t>(x_) * 64;
        const auto row = [&](const Expr& i) { return cast<std::int64_t>(at(0, within(i, size(0)))); };
        const RDom round(0, number(1));
        Func& search = step("before");
        search(x_) = 0;
        const Expr next = search(x_) + (1 << (number(1) - 1 - round));
        search(x_) = select(next <= size(0) && (row(next - 1) + 1) * length <= begin, next, search(x_));
        const Expr first = search(x_);

        const RDom entry(0, 64);
        Func& word = step("word");
        word(x_) = cast<std::uint64_t>(0);
        const Expr place = first + entry;
        const Expr from = Halide::clamp(row(place) * length - begin, 0, 64),
                   to = Halide::clamp((row(place) + 1) * length - begin, 0, 64);
        const Expr all = ~cast<std::uint64_t>(0), bits = cast<std::uint64_t>(Halide::max(to - from, 1));
        const Expr is_in = place < size(0) && from < to;
        word(x_) = word(x_) | select(is_in, all >> (64 - bits) << cast<std::uint64_t>(Halide::min(from, 63)),
                                     cast<std::uint64_t>(0));
        return word(x_);
    }

    Expr counted() {
        const Expr left = number(0) - x_ * 64;  // elements from this word on
        const Expr unused = cast<std::uint64_t>(64 - Halide::clamp(left, 1, 64));
        return cast<std::int32_t>(bit_count(at(0, x_) << unused));
    }

    Expr running_sum() {
        const Expr first = x_ / list_chunk * list_chunk;
        const Expr within_chunk = summed(RDom(0, list_chunk), [&](const Expr& r) {
            return select(first + r <= x_, at(0, Halide::min(first + r, x_)), 0);
        });
        return within_chunk + select(first > 0, at(1, within(x_ / list_chunk - 1, size(1))), 0);
    }

    /// The place of set bit number x: by a search of the word whose running sum goes past it, then within it.
    Expr position_of_bit() {
        const RDom round(0, number(0));
        Func& words = step("words");
        words(x_) = 0;
        const Expr next = words(x_) + (1 << (number(0) - 1 - round));
        const Expr is_before = next <= size(1) && at(1, within(next - 1, size(1))) <= x_;
        words(x_) = select(is_before, next, words(x_));
        const Expr index = words(x_);
        const Expr rest = x_ - select(index > 0, at(1, within(index - 1, size(1))), 0);

        // Position and number of skipped bits in one number: Halide may store one of two numbers that are
        // computed from each other before it reads it for the second.
        const RDom half(0, 6);  // 32, 16, … 1 bits
        Func& search = step("bits");
        search(x_) = rest * 64;
        const Expr begin = search(x_) % 64, skipped = search(x_) / 64, width = 1 << (5 - half);
        const Expr some = at(0, within(index, size(0))) >> cast<std::uint64_t>(begin) &
                          ((cast<std::uint64_t>(1) << cast<std::uint64_t>(width)) - 1);
        const Expr found = cast<std::int32_t>(bit_count(some));
        search(x_) = search(x_) + select(skipped >= found, width - found * 64, 0);
        return index * 64 + search(x_) % 64;
    }

    /// Key x of two runs of `run` keys each: the number of keys of the first run that are less than the
    /// second run's key there, by a search.
    Expr merged() {
        const Expr all = cast<std::int64_t>(size(0)), run = cast<std::int64_t>(number(0));
        const Expr x = cast<std::int64_t>(x_), begin = x / (2 * run) * (2 * run);
        const Expr middle = Halide::min(begin + run, all), end = Halide::min(begin + 2 * run, all);
        const auto key = [&](const Expr& i) {
            return at(0, within(cast<std::int32_t>(Halide::clamp(i, 0, all - 1)), size(0)));
        };
        const Expr before = x - begin, from_first = middle - begin, from_second = end - middle;
        const RDom round(0, number(1));
        Func& search = step("taken");
        search(x_) = Halide::max(before - from_second, 0);
        const Expr next = search(x_) + (cast<std::int64_t>(1) << cast<std::int64_t>(number(1) - 1 - round));
        const Expr is_taken =
            next <= Halide::min(before, from_first) && key(begin + next - 1) < key(middle + before - next);
        search(x_) = select(is_taken, next, search(x_));
        const Expr taken = search(x_), second = middle + before - taken;
        const Expr is_of_first = taken < from_first && (second >= end || key(begin + taken) < key(second));
        return select(is_of_first, key(begin + taken), key(second));
    }

    /// The sum of a row's elements over the keys with one index, from the first on.
    Expr sum_of_run() {
        using namespace lowering;
        const Expr length = number(0), run = x_ / length, begin = at(1, run);
        const Expr end = select(run + 1 < size(1), at(1, within(run + 1, size(1))), size(0));
        const auto loaded = [&](const Expr& i) {
            return at(2, entry_of(within(i, size(0))) * length + x_ % length);
        };
        Func& sum = step("sum");
        RDom more(1, size(0));
        more.where(more < end - begin);
        if (kernel_.kernel == DeviceKernel::sum_runs_wide) {
            sum(x_) = cast<double>(loaded(begin));
            sum(x_) += cast<double>(loaded(begin + more));
            return sum(x_);
        }
        const DType summing = runtime::summing_dtype(dtype_);
        const auto kept = [&](const Expr& element) {
            return to_memory(from_memory(element, dtype_), summing);
        };
        sum(x_) = dtype_ == DType::boolean ? flag(loaded(begin) != 0) : kept(loaded(begin));
        const Value before = from_memory(sum(x_), summing), term = from_memory(loaded(begin + more), dtype_);
        const Value both = dtype_ == DType::boolean ? before || term : before + term;
        sum(x_) = to_memory(both, summing);
        return summing == dtype_ ? Expr(sum(x_)) : to_memory(from_memory(sum(x_), summing), dtype_);
    }

    Expr slot() {
        const auto is_set = [&](int i) { return at(0, x_ / 2 * 4 + i) != 0; };
        const Expr count = select(is_set(0), 1, 0) + select(is_set(1), 1, 0) + select(is_set(2), 1, 0) +
                           select(is_set(3), 1, 0);
        const Expr first = select(is_set(0), 0, is_set(1), 1, is_set(2), 2, 3);
        const Expr last = select(is_set(3), 3, is_set(2), 2, 1);
        const Expr lower = select(count == 2, first, 0), upper = select(count == 0, 1, last);
        return x_ / 2 * 4 + select(x_ % 2 == 0, lower, upper);
    }

    /// Stores the elements at the positions `to`.  Each position occurs once.
    void put(const RDom& from, const Expr& to, const Expr& value) {
        out_(x_) = Halide::undef(Halide::Type(runtime::type_of(kernel_.output, dtype_)));
        out_(Halide::unsafe_promise_clamped(to, 0, size() - 1)) = value;
        out_.gpu_tile(x_, block_, thread_, block_threads, Halide::TailStrategy::GuardWithIf);
        Halide::RVar blocks("blocks"), threads("threads");
        out_.update().allow_race_conditions().gpu_tile(from.x, blocks, threads, block_threads,
                                                       Halide::TailStrategy::GuardWithIf);
    }

    void scatter() {
        const RDom from(0, size(1));
        const Expr length = number(0);
        put(from, at(0, from / length) * length + from % length, at(1, from));
    }

    /// The entries of a list at 32 positions, and the number of those before.
    Expr ranked_list() {
        const Expr begin = x_ * 32;
        const auto place = [&](const Expr& i) { return at(0, within(i, size(0))); };
        const RDom round(0, number(0));
        Func& search = step("before");
        search(x_) = 0;
        const Expr next = search(x_) + (1 << (number(0) - 1 - round));
        search(x_) = select(next <= size(0) && place(next - 1) < begin, next, search(x_));
        const Expr first = search(x_);

        const RDom entry(0, 32);
        Func& bits = step("bits");
        bits(x_) = cast<std::uint32_t>(0);
        const Expr at_entry = place(first + entry) - begin;
        const Expr is_in = first + entry < size(0) && at_entry < 32;
        bits(x_) =
            bits(x_) |
            select(is_in, cast<std::uint32_t>(1) << cast<std::uint32_t>(Halide::clamp(at_entry, 0, 31)),
                   cast<std::uint32_t>(0));
        return cast<std::int64_t>(first) << 32 | cast<std::int64_t>(bits(x_));
    }

    void put_steps() {
        const RDom from(0, size(0));
        const Expr row = at(0, from), now = cast<std::int64_t>(number(0));
        const bool is_count = kernel_.kernel == DeviceKernel::count_missed;
        put(from, row, is_count ? cast<double>(now - at(1, row)) : now);
    }

    void sort_chunks() {
        const RDom from(0, size(0)), other(0, list_chunk);
        Func rank("rank");
        const Halide::Var i("i");
        const Expr first = i / list_chunk * list_chunk, place = first + other;
        rank(i) = 0;
        rank(i) += select(place < size(0) && at(0, within(place, size(0))) < at(0, i), 1, 0);
        put(from, from / list_chunk * list_chunk + rank(from), at(0, from));
        rank.compute_at(out_, Halide::RVar("threads"));
    }

    const runtime::DeviceKernelInfo& kernel_;
    const DType dtype_;
    std::vector<Halide::Param<std::int32_t>> numbers_;
    std::vector<Halide::ImageParam> inputs_;
    const Halide::Var x_{"x"}, block_{"block"}, thread_{"thread"};
    Func out_;
    std::deque<Func> steps_;
};

}  // namespace

BuiltLoops build_device_kernel(DeviceKernel kernel, DType dtype, const Halide::Target& machine) {
    BuiltLoops loops = DeviceKernelBuilder(runtime::info_of(kernel), dtype).built();
    use_device_functions(loops.pipeline, machine);
    return loops;
}

}  // namespace frisket::codegen
