// SPDX-License-Identifier: MIT
// Stores the coordinates at which an expression over lists is evaluated.
#pragma once
#include "../kernel/argument.hpp"
#include "../layouts/layout_traits.hpp"
#include "iteration_space.hpp"
#include "list_merge.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Coordinates at which an expression over lists is evaluated, and the elements of its arguments there.
namespace frisket::list_kernels {

class CoordinateSet {
public:
    /// The coordinates as one layout stores them: blocks with their unspecified elements.
    static CoordinateSet same_pattern(IterationSpace space, std::span<const Argument> arguments);
    /// The coordinates row-major, each once.
    static CoordinateSet union_of(IterationSpace space, std::span<const Argument> arguments);
    /// The coordinates that all lists have, row-major.
    static CoordinateSet intersection_of(IterationSpace space, std::span<const Argument> arguments);

    const IterationSpace& space() const noexcept { return space_; }
    std::int64_t count() const noexcept { return count_; }
    /// Row-major positions, of rows: their numbers.
    std::vector<std::int64_t> positions() const;
    /// The coordinates as a list; null where one layout stores them.
    const std::shared_ptr<const IndexList>& list() const noexcept { return merged_.list; }
    /// The elements of an argument at the coordinates.
    AnyMasked values_of(std::size_t symbol, const Argument& argument, const Shape& shape) const;
    /// A masked result of the coordinates, which is specified nowhere else, as one of `shape`.  As one layout
    /// stores them: specified where the arguments are.
    AnyMasked placed(AnyTensor values, std::optional<AnyTensor> mask, const Shape& shape) const;
    /// Memory that belongs only to the coordinates.
    std::int64_t bytes() const;

private:
    static CoordinateSet together(IterationSpace space, std::span<const Argument> arguments,
                                  MergedLists (*merge)(const std::vector<std::shared_ptr<const IndexList>>&));
    bool is_together() const noexcept { return merged_.list != nullptr; }
    /// True if the coordinates are stored in ascending order.
    bool is_row_major() const { return is_together() || runtime::has_ranks(first_.layout()); }
    std::shared_ptr<const IndexList> places() const;
    AnyTensor gathered(const AnyTensor& tensor) const;
    AnyMasked densify(std::size_t symbol) const;
    AnyMasked found_in(const AnyMasked& small) const;
    std::optional<AnyMasked> repeated(const AnyMasked& small) const;

    IterationSpace space_;
    std::int64_t count_ = 0;
    AnyMasked first_;                     // as stored: an argument without duplicates
    MergedLists merged_;                  // together: the coordinates, and where each of the lists has them
    std::vector<AnyMasked> lists_;        // together: each symbol that lists, as coo
    std::vector<std::size_t> merged_as_;  // together: number of each such symbol's list among the merged
};

}  // namespace frisket::list_kernels
