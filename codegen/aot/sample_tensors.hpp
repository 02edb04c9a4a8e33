// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <tuple>

#include "../../runtime/tensor/masked_tensor.hpp"

namespace frisket::aot {

/// Elements that a mask specifies.
struct Pattern {
    double density = 1;     ///< share of those below
    bool one_row = false;   ///< in the first index of dimension 0 alone
    bool one_item = false;  ///< at the first index of all others alone
    auto operator<=>(const Pattern&) const = default;
};

/// A Masked argument of a sample call.
struct MaskedForm {
    Layout layout = Layout::dense;
    Pattern pattern = {};
    std::uint64_t seed = 0;
    auto operator<=>(const MaskedForm&) const = default;
};

/// Tensors of sample calls, of which floats are 1 and whole numbers 0.  No sample call writes a tensor above
/// `most_written` elements: such tensors are cached, as allocating and filling them takes most of the time of
/// a sample.
/// Threads: one at a time.
class SampleTensors {
public:
    static constexpr std::int64_t most_written = 1 << 16;

    /// Tensors for the argument of this number: no two arguments of a call share memory.
    AnyTensor values(std::size_t argument, DType dtype, const Shape& shape);
    AnyMasked masked(std::size_t argument, DType dtype, const Shape& shape, const MaskedForm& form);

private:
    AnyTensor mask(const Shape& shape, const MaskedForm& form);
    void make_room(const Shape& shape);

    using Mask = std::tuple<Shape, bool, bool, bool, Pattern, std::uint64_t>;
    std::map<std::tuple<std::size_t, DType, Shape>, AnyTensor> values_;
    std::map<Mask, AnyTensor> masks_;
    std::map<std::tuple<std::size_t, DType, Shape, MaskedForm>, AnyMasked> masked_;
    std::int64_t elements_ = 0;  // number of elements that are cached
};

}  // namespace frisket::aot
