// SPDX-License-Identifier: MIT
#include "transposed_lines.hpp"

#include "../limits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace frisket::list_kernels {

namespace {

/// An entry: its line, its index along it, and its number.
template <class Index>
struct BucketEntry {
    Index line, inner, number;
};

/// Lines of some of the indices, and how many entries each has.
struct BucketLines { std::vector<std::int64_t> numbers, counts; };

template <class Index>
class LineTransposition {
public:
    LineTransposition(const ListLines& list, std::int64_t length, const RunTasks& run)
        : list_(list), run_(run) {
        const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(length - 1, 0)));
        const int wanted = std::bit_width(static_cast<std::uint64_t>(list.size() / limits::bucket_entries));
        shift_ = std::max(0, bits - std::min(limits::transposed_bucket_bits, wanted));
        buckets_ = length == 0 ? 0 : ((length - 1) >> shift_) + 1;
        made_.entries = Indices(list.size());
        made_.lines.inner = Indices(list.size());
    }

    TransposedOrder transpose() {
        fill_buckets();
        std::vector<BucketLines> lines(static_cast<std::size_t>(buckets_));
        run_(static_cast<int>(buckets_), [&](int bucket) { lines[bucket] = order(bucket); });
        std::int64_t start = 0;
        for (const BucketLines& each : lines)
            for (std::size_t i = 0; i < each.numbers.size(); ++i) {
                made_.lines.numbers.push_back(each.numbers[i]);
                made_.lines.starts.push_back(std::exchange(start, start + each.counts[i]));
            }
        made_.lines.starts.push_back(start);
        return std::move(made_);
    }

private:
    using Entry = BucketEntry<Index>;

    /// Puts the entries into buckets, in their order.
    void fill_buckets() {
        const std::vector<std::int64_t> begins = list_.tasks(limits::transposed_task_entries);
        const auto tasks = static_cast<int>(begins.size()) - 1;
        std::vector<LineBlock> blocks(static_cast<std::size_t>(tasks));
        std::vector<std::vector<std::int64_t>> next(static_cast<std::size_t>(tasks));
        run_(tasks, [&](int task) {
            blocks[task] = list_.lines(begins[task], begins[task + 1]);
            next[task].assign(static_cast<std::size_t>(buckets_), 0);
            for (const std::int64_t inner : blocks[task].inner) ++next[task][inner >> shift_];
        });
        std::int64_t start = 0;
        for (std::int64_t bucket = 0; bucket < buckets_; ++bucket) {
            begins_.push_back(start);
            for (std::vector<std::int64_t>& of_task : next) start += std::exchange(of_task[bucket], start);
        }
        begins_.push_back(start);
        memory_ = Indices((start * std::int64_t{sizeof(Entry)} + 7) / 8);
        entries_ = reinterpret_cast<Entry*>(memory_.data());
        run_(tasks, [&](int task) { fill(blocks[task], next[task]); });
    }

    void fill(const LineBlock& block, std::vector<std::int64_t>& next) {
        for (std::size_t line = 0; line < block.numbers.size(); ++line)
            for (std::int64_t i = block.starts[line]; i < block.starts[line + 1]; ++i)
                entries_[next[block.inner[i] >> shift_]++] = {static_cast<Index>(block.numbers[line]),
                                                              static_cast<Index>(block.inner[i]),
                                                              static_cast<Index>(block.first + i)};
    }

    /// Orders the entries of a bucket.
    BucketLines order(std::int64_t bucket) {
        const std::int64_t width = std::int64_t{1} << shift_;
        const std::span entries(entries_ + begins_[bucket], entries_ + begins_[bucket + 1]);
        const auto few = limits::counted_lines_of_entry * std::ssize(entries);
        return width <= few && width <= limits::counted_lines_of_bucket ? count(bucket, width, entries)
                                                                        : sort(bucket, entries);
    }

    BucketLines count(std::int64_t bucket, std::int64_t width, std::span<const Entry> entries) {
        BucketLines lines;
        std::vector<std::int64_t> next(static_cast<std::size_t>(width), 0);
        const std::int64_t low = bucket << shift_;
        for (const Entry& entry : entries) ++next[static_cast<std::int64_t>(entry.inner) - low];
        std::int64_t start = begins_[bucket];
        for (std::int64_t i = 0; i < width; ++i) {
            if (next[i] != 0) {
                lines.numbers.push_back(low + i);
                lines.counts.push_back(next[i]);
            }
            start += std::exchange(next[i], start);
        }
        for (const Entry& entry : entries) put(next[static_cast<std::int64_t>(entry.inner) - low]++, entry);
        return lines;
    }

    BucketLines sort(std::int64_t bucket, std::span<Entry> entries) {
        BucketLines lines;
        sort_by_digits(entries);
        std::int64_t to = begins_[bucket];
        for (const Entry& entry : entries) {
            const auto line = static_cast<std::int64_t>(entry.inner);
            if (lines.numbers.empty() || lines.numbers.back() != line) {
                lines.numbers.push_back(line);
                lines.counts.push_back(0);
            }
            ++lines.counts.back();
            put(to++, entry);
        }
        return lines;
    }

    /// Orders entries by the lower bits of their indices, as a bucket's entries share the upper bits: digit
    /// by digit, the lowest first.
    void sort_by_digits(std::span<Entry> entries) const {
        constexpr int digit_bits = 8;
        constexpr std::int64_t digits = std::int64_t{1} << digit_bits;
        std::vector<Entry> other(entries.size());
        std::span<Entry> from = entries, to = other;
        for (int low = 0; low < shift_; low += digit_bits, std::swap(from, to)) {
            const auto digit = [&](const Entry& entry) {
                return (static_cast<std::int64_t>(entry.inner) >> low) & (digits - 1);
            };
            std::array<std::int64_t, digits> next{};
            for (const Entry& entry : from) ++next[digit(entry)];
            std::int64_t start = 0;
            for (std::int64_t& count : next) start += std::exchange(count, start);
            for (const Entry& entry : from) to[next[digit(entry)]++] = entry;
        }
        if (from.data() != entries.data()) std::ranges::copy(from, entries.begin());
    }

    void put(std::int64_t to, const Entry& entry) {
        made_.lines.inner.data()[to] = static_cast<std::int64_t>(entry.line);
        made_.entries.data()[to] = static_cast<std::int64_t>(entry.number);
    }

    const ListLines& list_;
    const RunTasks& run_;
    int shift_ = 0;
    std::int64_t buckets_ = 0;
    std::vector<std::int64_t> begins_;  // first entry of each bucket, and the end
    Indices memory_;
    Entry* entries_ = nullptr;  // in memory_
    TransposedOrder made_;
};

}  // namespace

std::int64_t TransposedOrder::bytes() const {
    const std::size_t numbers = lines.numbers.size() + lines.starts.size();
    return 8 * (lines.inner.size() + entries.size() + static_cast<std::int64_t>(numbers));
}

std::shared_ptr<const TransposedOrder> transposed_order(const ListLines& list,
                                                        const runtime::KeptStructures& kept,
                                                        std::int64_t count, std::int64_t length,
                                                        const RunTasks& run) {
    return kept.get<TransposedOrder>(
        runtime::KeptStructures::Kind::transposed_lines, {count, length}, [&]() -> TransposedOrder {
            if (std::max({count, length, list.size()}) <= std::numeric_limits<std::uint32_t>::max())
                return LineTransposition<std::uint32_t>(list, length, run).transpose();
            return LineTransposition<std::int64_t>(list, length, run).transpose();
        });
}

}  // namespace frisket::list_kernels
