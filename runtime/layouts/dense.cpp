// SPDX-License-Identifier: MIT
/// dense: values of the tensor's shape, any strides; every element is specified.
#include <algorithm>

#include "../tensor/bitmask_ops.hpp"
#include "layout_traits.hpp"

namespace frisket {

using namespace runtime;

namespace {

void bits(const AnyMasked& masked, std::uint64_t* words) {
    std::fill_n(words, words_for(masked.size()), ~std::uint64_t{0});
    clear_tail(words, masked.size());
}

void bytes(const AnyMasked& masked, std::uint8_t* mask) { std::fill_n(mask, masked.size(), 1); }

std::int64_t count(const AnyMasked& masked) { return masked.size(); }

AnyTensor filled(const AnyMasked& masked, const void* /*fill*/) { return masked.values().clone(); }

void check_all_specified(const AnyMasked& masked) {
    const std::int64_t specified = masked.specified_count();
    if (specified != masked.size())
        throw LayoutError("to: " + std::to_string(specified) + " of " + std::to_string(masked.size()) +
                          " elements are specified, layout dense holds tensors with all specified: "
                          "use to_dense(fill), which fills the others");
}

AnyMasked from(const AnyMasked& masked) {
    check_all_specified(masked);
    return AnyMasked::dense(dense_values(masked));
}

AnyMasked from_on_device(const AnyMasked& masked, std::optional<Blocksize>) {
    check_all_specified(masked);
    return AnyMasked::dense(on_device::dense_values(masked));
}

}  // namespace

AnyMasked AnyMasked::dense(AnyTensor values) {
    values.check_not_moved("dense");
    Shape shape = values.shape();
    return {Layout::dense, std::move(shape), std::move(values), {}, nullptr};
}

constinit const LayoutTraits runtime::dense_traits{
    .layout = Layout::dense,
    .name = "dense",
    .mask = MaskForm::none,
    .bits = bits,
    .bytes = bytes,
    .count = count,
    .dense_values = values_as_stored,
    .filled = filled,
    .entries = entries_of_bits,
    .from = from,
    .on_device = from_on_device,
};

}  // namespace frisket
