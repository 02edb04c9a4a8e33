// SPDX-License-Identifier: MIT
// Runs tasks over the lines of lists.
#pragma once
#include "../tensor/masked_tensor.hpp"
#include "../tensor/result_memory.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace frisket::list_kernels {

/// Runs task(0) … task(count - 1), in any order and at once.  Tasks may throw: the error of the first one of
/// those that failed is thrown once all have ended.
using RunTasks = std::function<void(int count, const std::function<void(int)>& task)>;

/// Memory for indices, which hold anything at first.
class Indices {
public:
    Indices() = default;
    explicit Indices(std::int64_t count) : memory_(runtime::result_tensor(DType::int64, {count})) {}
    std::int64_t size() const noexcept { return memory_.size(); }
    std::int64_t* data() const { return static_cast<std::int64_t*>(memory_.data()); }
    std::span<const std::int64_t> span() const { return {data(), static_cast<std::size_t>(size())}; }

private:
    AnyTensor memory_;
};

/// Lines that have entries: a list of them, and of each the indices of its entries, ascending.
struct SparseLines {
    std::vector<std::int64_t> numbers;
    std::vector<std::int64_t> starts;  ///< first entry of each line, and the end
    Indices inner;
};

/// Some lines of a list that follow each other, without those that have no entry.
struct LineBlock {
    std::int64_t first = 0;                    ///< number of the first entry in the list
    std::span<const std::int64_t> inner = {};  ///< index of each entry along its line
    std::vector<std::int64_t> numbers = {};    ///< number of each line
    std::vector<std::int64_t> starts = {};  ///< first entry of each line, counted from `first`; and the end
    Indices memory = {};                    ///< memory for `inner`, if the list has none
};

/// The entries of a matrix that is a list, line by line: rows of row-major positions and of csr, columns of
/// csc.  Refers to the list.
class ListLines {
public:
    /// Positions of a matrix of rows of this length.
    /// Shape: `list` is ascending, without duplicates.
    ListLines(const IndexList& list, std::int64_t length) : list_(&list), length_(length) {}
    explicit ListLines(const CompressedIndex& index) : index_(&index) {}
    explicit ListLines(const SparseLines& lines) : sparse_(&lines) {}

    std::int64_t size() const noexcept;
    /// Entries at which tasks of about the given number of entries begin, and the end: each the first one of
    /// a line.
    std::vector<std::int64_t> tasks(std::int64_t entries) const;
    /// Lines, or parts of them, that have these entries.
    LineBlock lines(std::int64_t first, std::int64_t end) const;

private:
    std::int64_t line_end(std::int64_t entry) const;

    const IndexList* list_ = nullptr;
    std::int64_t length_ = 0;
    const CompressedIndex* index_ = nullptr;
    const SparseLines* sparse_ = nullptr;
};

}  // namespace frisket::list_kernels
