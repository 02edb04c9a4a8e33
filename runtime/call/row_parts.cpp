// SPDX-License-Identifier: MIT
#include "row_parts.hpp"

#include <algorithm>
#include <vector>

#include "../layouts/summing.hpp"
#include "../limits.hpp"
#include "frame.hpp"

namespace frisket {

namespace {

constexpr std::int64_t ahead = 12;  // entries whose values are fetched before they are summed
constexpr std::int64_t line = 64;
constexpr std::int64_t most_fetched = 2048;  // bytes of a row: further on, the processor has understood

void fetch(const void* from, std::int64_t bytes) {
    const auto* at = static_cast<const char*>(from);
    for (std::int64_t i = 0; i < std::min(bytes, most_fetched); i += line) __builtin_prefetch(at + i);
}

std::int64_t widest_bytes(const RowWalk& walk) {
    std::int64_t widest = 1;
    for (const ListedRows& operand : walk.listed)
        widest = std::max(widest, operand.length * bytes_of(operand.dtype));
    return widest;
}

}  // namespace

/// Parts of a range of entries, on one thread.
class RowParts::Walker {
public:
    /// Makes all memory that walking takes.
    Walker(const RowWalk& walk, PartLoops& loops, PartLoops::Memory memory)
        : walk_(walk),
          loops_(loops),
          memory_kind_(memory),
          part_rows_(walk.in_one_part ? walk.index->size()
                                      : std::clamp<std::int64_t>(limits::row_part_bytes / widest_bytes(walk),
                                                                 1, limits::most_part_rows)),
          memory_(walk.listed.size()),
          values_(walk.listed.size()) {
        rows_.reserve(static_cast<std::size_t>(part_rows_));
        for (std::size_t i = 0; i < memory_.size() && !walk.index->is_coalesced(); ++i) {
            const ListedRows& operand = walk_.listed[i];
            memory_[i].resize(
                static_cast<std::size_t>(part_rows_ * operand.length * bytes_of(operand.dtype)));
        }
        loops_.reserve(memory_kind_, part_rows_);
    }

    /// Entries [begin, end) of a coalesced list: their values are taken where they lie.
    void sorted(std::int64_t begin, std::int64_t end) {
        for (std::int64_t entry = begin; entry < end;) {
            for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(walk_.listed[i], entry);
            start((*walk_.index)[entry]);
            for (; entry < end && takes((*walk_.index)[entry]); ++entry) add((*walk_.index)[entry]);
            loops_.run({first_, rows_, values_}, memory_kind_);
        }
    }

    /// Entries [begin, end) of the keys, which end where another row begins: sums are made here.
    void keyed(std::span<const IndexList::Key> keys, std::int64_t begin, std::int64_t end) {
        for (std::size_t i = 0; i < memory_.size(); ++i) values_[i] = memory_[i].data();
        for (std::int64_t entry = begin; entry < end;) {
            start(IndexList::index_of(keys[entry]));
            while (entry < end && takes(IndexList::index_of(keys[entry]))) {
                const std::int64_t row = IndexList::index_of(keys[entry]);
                bool is_first = true;
                for (; entry < end && IndexList::index_of(keys[entry]) == row; ++entry, is_first = false)
                    sum(keys, entry, is_first);
                add(row);
            }
            loops_.run({first_, rows_, values_}, memory_kind_);
        }
    }

private:
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
    /// An entry becomes, or is added to, the row after those of the part.
    void sum(std::span<const IndexList::Key> keys, std::int64_t entry, bool is_first) {
        const auto row = static_cast<std::int64_t>(rows_.size());
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            const ListedRows& operand = walk_.listed[i];
            const std::int64_t bytes = operand.length * bytes_of(operand.dtype);
            if (entry + ahead < static_cast<std::int64_t>(keys.size()))
                fetch(value(operand, IndexList::position_of(keys[entry + ahead])), bytes);
            std::byte* const to = memory_[i].data() + row * bytes;
            const std::byte* const from = value(operand, IndexList::position_of(keys[entry]));
            is_first ? begin_sum(operand.dtype, to, from, operand.length)
                     : add_to_sum(operand.dtype, to, from, operand.length);
        }
    }

    const RowWalk& walk_;
    PartLoops& loops_;
    const PartLoops::Memory memory_kind_;
    const std::int64_t part_rows_;
    std::int64_t first_ = 0;
    std::vector<std::int32_t> rows_;
    std::vector<std::vector<std::byte>> memory_;
    std::vector<const std::byte*> values_;
};

std::int64_t most_rows_of(std::int64_t widest, std::int64_t rows) {
    constexpr std::int64_t unit = 64;
    const std::int64_t most = segment_elements / widest;
    return most < unit && rows <= most ? unit : most / unit * unit;
}

RowParts::RowParts(const RowWalk& walk, PartLoops& loops) : walk_(walk), loops_(loops) {
    const IndexList& index = *walk_.index;
    if (index.size() == 0) return;
    if (!index.is_coalesced()) keys_ = index.keys();
    std::int64_t length = 1;
    for (const ListedRows& operand : walk_.listed) length = std::max(length, operand.length);
    each_ = walk_.in_one_part ? index.size() : std::max<std::int64_t>(limits::task_elements / length, 1);
    if (index.size() > each_) parts_.emplace((index.size() + each_ - 1) / each_);
    spare_ = std::make_unique<Walker>(walk_, loops_, PartLoops::Memory::spare);
}

RowParts::~RowParts() = default;

/// Where a task begins: never between entries of one row.
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
    const auto walk = [&](Walker& walker, std::int64_t i) {
        const std::int64_t begin = cut(i * each_), end = cut((i + 1) * each_);
        walk_.index->is_coalesced() ? walker.sorted(begin, end) : walker.keyed(keys_, begin, end);
    };
    if (!parts_) return walk(*spare_, 0);
    parts_->run([&](int tasks, const auto& task) { run_tasks(tasks, task); },
                [&](std::int64_t i) {
                    Walker walker(walk_, loops_, PartLoops::Memory::of_thread);
                    walk(walker, i);
                });
    parts_->finish([&](std::int64_t i) { walk(*spare_, i); });
}

}  // namespace frisket
