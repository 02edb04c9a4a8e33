// SPDX-License-Identifier: MIT
#pragma once
#include "../interpreter/interpret.hpp"
#include "iteration_space.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Places at which an expression over lists is evaluated, and the elements of its arguments there.
namespace frisket::plan {

/// The space of a call whose masked arguments all store equal places in one layout; nothing if they do not.
/// Cost: that of comparing their lists.
std::optional<IterationSpace> space_of_same_pattern(const Graph& graph, std::span<const Argument> arguments);
/// Single elements: those that any of the masked arguments of the largest shape stores, whatever the layouts
/// that are lists.  Nothing if there is none, or if others do not broadcast to them.
std::optional<IterationSpace> space_of_union(const Graph& graph, std::span<const Argument> arguments);

class CoordinateSet {
public:
    /// The places as one layout stores them: blocks with what they leave out.
    static CoordinateSet same_pattern(IterationSpace space, std::span<const Argument> arguments);
    /// The places row-major, each once.
    static CoordinateSet union_of(IterationSpace space, std::span<const Argument> arguments);

    const IterationSpace& space() const noexcept { return space_; }
    std::int64_t count() const noexcept { return static_cast<std::int64_t>(positions_.size()); }
    /// Row-major positions, of rows: their numbers.
    std::span<const std::int64_t> positions() const noexcept { return positions_; }
    /// Together: the same as a list.
    const std::shared_ptr<const IndexList>& list() const noexcept { return list_; }
    /// The elements of an argument at the places.
    AnyMasked values_of(std::size_t symbol, const Argument& argument, const Shape& shape) const;
    /// A masked result of the places, which is specified nowhere else, as one of `shape`.  Alike: specified
    /// where the arguments are.
    Result placed(Result stored, const Shape& shape) const;

private:
    bool is_together() const noexcept { return list_ != nullptr; }
    AnyTensor gathered(const AnyTensor& tensor) const;
    AnyMasked densify(const AnyMasked& listed) const;
    AnyMasked found_in(const AnyMasked& small) const;

    IterationSpace space_;
    std::vector<std::int64_t> positions_;
    AnyMasked first_;                        // alike: an argument without duplicates
    std::shared_ptr<const IndexList> list_;  // together: the places
    std::vector<AnyMasked> lists_;           // together: of each symbol that lists, as coo
};

}  // namespace frisket::plan
