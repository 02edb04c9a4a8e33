// SPDX-License-Identifier: MIT
#include "row_parts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../kernel/scratch.hpp"
#include "../layouts/summing.hpp"
#include "../limits.hpp"

namespace frisket::kernel_calls {

namespace {

constexpr std::int64_t ahead = 12;  // entries whose values are fetched before they are summed
constexpr std::int64_t line = 64;
constexpr std::int64_t most_fetched = 2048;  // bytes of a row: further on, the processor has understood

void fetch(const void* from, std::int64_t bytes) {
    const auto* at = static_cast<const char*>(from);
    for (std::int64_t i = 0; i < std::min(bytes, most_fetched); i += line) __builtin_prefetch(at + i);
}

/// Bytes of the longest listed row.
std::int64_t widest_bytes(const RowWalk& walk) {
    std::int64_t widest = 1;
    for (const ListedRows& operand : walk.listed)
        widest = std::max(widest, operand.length * bytes_of(operand.dtype));
    return widest;
}

std::int64_t most_in_part(const RowWalk& walk) {
    const std::int64_t entries = walk.index->size();
    if (walk.in_one_part) return entries;
    return std::clamp<std::int64_t>(limits::row_part_bytes / widest_bytes(walk), 1,
                                    std::clamp<std::int64_t>(entries, 1, limits::most_part_rows));
}

}  // namespace

/// Parts of a range of entries, on one thread.
class RowParts::Walker {
public:
    /// Makes all memory that walking takes.
    Walker(const RowWalk& walk, const PartLoops& loops, PartMemory memory)
        : walk_(walk),
          loops_(loops),
          memory_kind_(memory),
          part_rows_(most_in_part(walk)),
          values_(walk.listed.size()) {
        rows_.reserve(static_cast<std::size_t>(part_rows_));
        if (!walk.index->is_coalesced()) {
            sums_.reserve(walk.listed.size());
            for (const ListedRows& operand : walk.listed) sums_.emplace_back(operand, part_rows_);
        }
        loops_.reserve(memory_kind_, part_rows_);
    }

    /// Entries from `next` to `end` of a coalesced list: their values are read in place.  `next` is the
    /// beginning of the part that is not done yet.
    void sorted(std::int64_t& next, std::int64_t end) {
        for (std::int64_t entry = next; entry < end; next = entry) {
            for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(walk_.listed[i], entry);
            start((*walk_.index)[entry]);
            for (; entry < end && takes((*walk_.index)[entry]); ++entry) add((*walk_.index)[entry]);
            loops_.run({first_, rows_, values_}, memory_kind_);
        }
    }

    /// Entries from `next` to `end` of the keys, which end where another row begins: sums are made here.
    void keyed(std::span<const IndexList::Key> keys, std::int64_t& next, std::int64_t end) {
        for (std::size_t i = 0; i < sums_.size(); ++i) values_[i] = sums_[i].memory.get();
        for (std::int64_t entry = next; entry < end; next = entry) {
            start(IndexList::index_of(keys[entry]));
            while (entry < end && takes(IndexList::index_of(keys[entry]))) {
                const std::int64_t row = IndexList::index_of(keys[entry]);
                const auto first = entry;
                while (++entry < end && IndexList::index_of(keys[entry]) == row) {}
                for (Sums& sums : sums_) sum(sums, keys, first, entry);
                add(row);
            }
            loops_.run({first_, rows_, values_}, memory_kind_);
        }
    }

private:
    /// The sums of an operand's duplicates, a row of the part after the other.
    struct Sums {
        Sums(const ListedRows& operand, std::int64_t rows)
            : of(operand),
              row_bytes(operand.length * bytes_of(operand.dtype)),
              memory(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(rows * row_bytes))),
              wide(has_16_bits(operand.dtype)
                       ? std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(operand.length))
                       : nullptr) {}
        const std::byte* value(IndexList::Key key) const {
            return static_cast<const std::byte*>(of.data) + IndexList::position_of(key) * row_bytes;
        }

        ListedRows of;
        std::int64_t row_bytes;
        std::unique_ptr<std::byte[]> memory;
        std::unique_ptr<float[]> wide;  // the sum of a row of 16 bits
    };

    static const std::byte* value(const ListedRows& operand, std::int64_t entry) {
        return static_cast<const std::byte*>(operand.data) + entry * operand.length * bytes_of(operand.dtype);
    }

    void start(std::int64_t row) {
        first_ = row / 64 * 64;
        rows_.clear();
    }
    bool takes(std::int64_t row) const {
        return static_cast<std::int64_t>(rows_.size()) < part_rows_ && row - first_ < walk_.most_rows;
    }
    void add(std::int64_t row) {
        rows_.push_back(static_cast<std::int32_t>(row - first_));
        for (const TouchedRows& rows : walk_.touched)
            fetch(static_cast<const std::byte*>(rows.data) + row * rows.row_bytes, rows.used_bytes);
    }
    /// Entries [first, end) of one row become the row after the rows of the part.
    void sum(Sums& sums, std::span<const IndexList::Key> keys, std::int64_t first, std::int64_t end) {
        const ListedRows of = sums.of;
        std::byte* const to = sums.memory.get() + std::ssize(rows_) * sums.row_bytes;
        void* const sum = sums.wide ? static_cast<void*>(sums.wide.get()) : to;
        for (std::int64_t entry = first; entry < end; ++entry) {
            if (entry + ahead < std::ssize(keys)) fetch(sums.value(keys[entry + ahead]), sums.row_bytes);
            const std::byte* const from = sums.value(keys[entry]);
            entry == first ? runtime::begin_sum(of.dtype, sum, from, of.length)
                           : runtime::add_to_sum(of.dtype, sum, from, of.length);
        }
        if (sums.wide) runtime::end_sum(of.dtype, to, sum, of.length);
    }

    const RowWalk& walk_;
    const PartLoops& loops_;
    const PartMemory memory_kind_;
    const std::int64_t part_rows_;
    std::int64_t first_ = 0;
    std::vector<std::int32_t> rows_;
    std::vector<Sums> sums_;  // buffers in which entries of lists with duplicates are summed
    std::vector<const std::byte*> values_;
};

std::int64_t most_rows_of(std::int64_t widest, std::int64_t rows) {
    constexpr std::int64_t unit = 64;
    const std::int64_t most = segment_elements / widest;
    return most < unit && rows <= most ? unit : most / unit * unit;
}

RowParts::RowParts(const RowWalk& walk, PartLoops loops) : walk_(walk), loops_(std::move(loops)) {
    const IndexList& index = *walk_.index;
    if (index.size() == 0) return;
    if (!index.is_coalesced()) keys_ = index.keys();
    std::int64_t length = 1;
    for (const ListedRows& operand : walk_.listed) length = std::max(length, operand.length);
    each_ = walk_.in_one_part ? index.size() : std::max<std::int64_t>(limits::task_elements / length, 1);
    const std::int64_t tasks = (index.size() + each_ - 1) / each_;
    if (tasks > 1) parts_.emplace(tasks);
    next_.reserve(static_cast<std::size_t>(tasks));
    for (std::int64_t i = 0; i < tasks; ++i) next_.push_back(cut(i * each_));
    spare_ = std::make_unique<Walker>(walk_, loops_, PartMemory::spare);
}

RowParts::~RowParts() = default;

/// First entry of a task: never between entries of one row.
std::int64_t RowParts::cut(std::int64_t entry) const {
    const IndexList& index = *walk_.index;
    entry = std::min(entry, index.size());
    while (!index.is_coalesced() && entry > 0 && entry < index.size() &&
           IndexList::index_of(keys_[entry - 1]) == IndexList::index_of(keys_[entry]))
        ++entry;
    return entry;
}

void RowParts::run(const RunTasks& run_tasks) {
    if (!spare_) return;
    // A part that finds no memory is not begun: its task goes on there at the end.
    const auto walk = [&](Walker& walker, std::int64_t i) {
        std::int64_t& next = next_[static_cast<std::size_t>(i)];
        const std::int64_t end = cut((i + 1) * each_);
        walk_.index->is_coalesced() ? walker.sorted(next, end) : walker.keyed(keys_, next, end);
    };
    if (!parts_) return walk(*spare_, 0);
    parts_->run([&](int tasks, const auto& task) { run_tasks(tasks, task); },
                [&](std::int64_t i) {
                    Walker walker(walk_, loops_, PartMemory::of_thread);
                    walk(walker, i);
                });
    parts_->finish([&](std::int64_t i) { walk(*spare_, i); });
}

}  // namespace frisket::kernel_calls
