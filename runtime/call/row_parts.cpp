// SPDX-License-Identifier: MIT
#include "row_parts.hpp"

#include <algorithm>
#include <vector>

#include "../layouts/summing.hpp"
#include "../limits.hpp"
#include "first_failure.hpp"

namespace frisket {

namespace {

constexpr std::int64_t ahead = 12;  // entries whose values are fetched before they are summed
constexpr std::int64_t line = 64;
constexpr std::int64_t most_fetched = 2048;  // bytes of a row: further on, the processor has understood

void fetch(const void* from, std::int64_t bytes) {
    const auto* at = static_cast<const char*>(from);
    for (std::int64_t i = 0; i < std::min(bytes, most_fetched); i += line) __builtin_prefetch(at + i);
}

/// Parts of a range of entries, on one thread.
class Walker {
public:
    Walker(const RowWalk& walk, const std::function<void(const RowPart&)>& body)
        : walk_(walk), body_(body), memory_(walk.listed.size()), values_(walk.listed.size()) {
        std::int64_t widest = 1;
        for (const ListedRows& operand : walk.listed)
            widest = std::max(widest, operand.length * bytes_of(operand.dtype));
        part_rows_ = walk.in_one_part ? walk.index->size()
                                      : std::clamp<std::int64_t>(limits::row_part_bytes / widest, 1,
                                                                 limits::most_part_rows);
        rows_.reserve(static_cast<std::size_t>(part_rows_));
    }

    /// Entries [begin, end) of a coalesced list: their values are taken where they lie.
    void sorted(std::int64_t begin, std::int64_t end) {
        for (std::int64_t entry = begin; entry < end;) {
            for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(walk_.listed[i], entry);
            start((*walk_.index)[entry]);
            for (; entry < end && takes((*walk_.index)[entry]); ++entry) add((*walk_.index)[entry]);
            body_({first_, rows_, values_});
        }
    }

    /// Entries [begin, end) of the keys, which end where another row begins: sums are made here.
    void keyed(std::span<const IndexList::Key> keys, std::int64_t begin, std::int64_t end) {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            const ListedRows& operand = walk_.listed[i];
            memory_[i].resize(
                static_cast<std::size_t>(part_rows_ * operand.length * bytes_of(operand.dtype)));
            values_[i] = memory_[i].data();
        }
        for (std::int64_t entry = begin; entry < end;) {
            start(IndexList::index_of(keys[entry]));
            while (entry < end && takes(IndexList::index_of(keys[entry]))) {
                const std::int64_t row = IndexList::index_of(keys[entry]);
                bool is_first = true;
                for (; entry < end && IndexList::index_of(keys[entry]) == row; ++entry, is_first = false)
                    sum(keys, entry, is_first);
                add(row);
            }
            body_({first_, rows_, values_});
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
    const std::function<void(const RowPart&)>& body_;
    std::int64_t part_rows_ = 1;
    std::int64_t first_ = 0;
    std::vector<std::int32_t> rows_;
    std::vector<std::vector<std::byte>> memory_;
    std::vector<const std::byte*> values_;
};

}  // namespace

void for_each_part(const RunTasks& run_tasks, const RowWalk& walk,
                   const std::function<void(const RowPart&)>& body) {
    const IndexList& index = *walk.index;
    if (index.size() == 0) return;
    const bool is_sorted = index.is_coalesced();
    const std::span<const IndexList::Key> keys = is_sorted ? std::span<const IndexList::Key>() : index.keys();
    std::int64_t length = 1;
    for (const ListedRows& operand : walk.listed) length = std::max(length, operand.length);
    const std::int64_t each =
        walk.in_one_part ? index.size() : std::max<std::int64_t>(limits::task_elements / length, 1);
    const auto tasks = static_cast<int>((index.size() + each - 1) / each);
    // Where a task begins: never between entries of one row.
    const auto cut = [&](std::int64_t entry) {
        entry = std::min(entry, index.size());
        while (!is_sorted && entry > 0 && entry < index.size() &&
               IndexList::index_of(keys[entry - 1]) == IndexList::index_of(keys[entry]))
            ++entry;
        return entry;
    };
    FirstFailure failure;
    auto task = [&](int i) {
        const auto walk_part = [&] {
            Walker walker(walk, body);
            const std::int64_t begin = cut(i * each), end = cut((i + 1) * each);
            is_sorted ? walker.sorted(begin, end) : walker.keyed(keys, begin, end);
        };
        failure.guard(walk_part, i);
    };
    tasks == 1 ? task(0) : run_tasks(tasks, task);
    failure.rethrow();
}

}  // namespace frisket
