// SPDX-License-Identifier: MIT
#include "transposed_lines.hpp"

#include "../../runtime/limits.hpp"
#include "../../runtime/tensor/elements.hpp"
#include "../../runtime/tensor/result_memory.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace frisket::plan {

namespace {

/// An entry: its line, its index along it, and its value.
template <class Index, class T>
struct BucketEntry {
    Index line, inner;
    T value;
};

/// Lines of some of the indices, and how many entries each has.
struct BucketLines { std::vector<std::int64_t> numbers, counts; };

template <class Index, class T>
class Transposition {
public:
    Transposition(const ListLines& list, const AnyTensor& values, std::int64_t length, const RunTasks& run)
        : list_(list), values_(static_cast<const T*>(values.data())), run_(run) {
        const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(length - 1, 0)));
        shift_ = std::max(0, bits - limits::transposed_bucket_bits);
        buckets_ = length == 0 ? 0 : ((length - 1) >> shift_) + 1;
        made_.values = runtime::result_tensor(values.dtype(), {list.size()});
        made_.lines.inner = Indices(list.size());
    }

    TransposedLines transpose() {
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
    using Entry = BucketEntry<Index, T>;

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
        const T* const values = values_ + block.first;
        for (std::size_t line = 0; line < block.numbers.size(); ++line)
            for (std::int64_t i = block.starts[line]; i < block.starts[line + 1]; ++i)
                entries_[next[block.inner[i] >> shift_]++] = {static_cast<Index>(block.numbers[line]),
                                                              static_cast<Index>(block.inner[i]), values[i]};
    }

    /// Orders the entries of a bucket.
    BucketLines order(std::int64_t bucket) {
        const std::int64_t width = std::int64_t{1} << shift_;
        const std::span entries(entries_ + begins_[bucket], entries_ + begins_[bucket + 1]);
        return width <= limits::counted_lines_of_bucket ? count(bucket, width, entries)
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
        std::ranges::stable_sort(entries, {}, &Entry::inner);
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

    void put(std::int64_t to, const Entry& entry) {
        made_.lines.inner.data()[to] = static_cast<std::int64_t>(entry.line);
        static_cast<T*>(made_.values.data())[to] = entry.value;
    }

    const ListLines& list_;
    const T* values_;
    const RunTasks& run_;
    int shift_ = 0;
    std::int64_t buckets_ = 0;
    std::vector<std::int64_t> begins_;  // first entry of each bucket, and the end
    Indices memory_;
    Entry* entries_ = nullptr;  // in memory_
    TransposedLines made_;
};

}  // namespace

TransposedLines transposed_lines(const ListLines& list, const AnyTensor& values, std::int64_t count,
                                 std::int64_t length, const RunTasks& run) {
    TransposedLines made;
    runtime::dispatch_width(values.dtype(), [&]<class T>() {
        if (std::max(count, length) <= std::numeric_limits<std::uint32_t>::max())
            made = Transposition<std::uint32_t, T>(list, values, length, run).transpose();
        else
            made = Transposition<std::int64_t, T>(list, values, length, run).transpose();
    });
    return made;
}

}  // namespace frisket::plan
