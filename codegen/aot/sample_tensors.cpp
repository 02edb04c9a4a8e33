// SPDX-License-Identifier: MIT
#include "sample_tensors.hpp"

#include <utility>

namespace frisket::aot {

namespace {

/// Number between 0 and 1, of an element.
double scattered(std::int64_t element, std::uint64_t seed) {
    std::uint64_t x =
        (static_cast<std::uint64_t>(element) + 1) * 0x9e3779b97f4a7c15U + seed * 0xbf58476d1ce4e5b9U;
    x ^= x >> 29;
    x *= 0x94d049bb133111ebU;
    x ^= x >> 32;
    return static_cast<double>(x >> 11) * 0x1p-53;
}

/// A mask that a layout can hold.
AnyTensor sample_mask(const Shape& shape, Layout layout, const Pattern& pattern, std::uint64_t seed) {
    AnyTensor mask(DType::boolean, shape);
    auto* const to = static_cast<bool*>(mask.data());
    const std::int64_t row = shape.empty() || shape[0] == 0 ? 1 : mask.size() / shape[0];
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        const bool is_by_row = layout == Layout::rows && row > 0;
        const bool is_there =
            (!pattern.one_row || i < row) && (!pattern.one_item || i % row == 0 || is_by_row);
        const bool is_chosen = is_there && scattered(is_by_row ? i / row : i, seed) < pattern.density;
        to[i] = layout == Layout::dense || (is_chosen && (layout != Layout::two_four || i % 4 < 2));
    }
    return mask;
}

AnyTensor sample_values(DType dtype, const Shape& shape) {
    if (!info_of(dtype).is_float) return {dtype, shape};
    return AnyTensor(full<float>(shape, 1)).to(dtype);
}

bool is_cached(const Shape& shape) { return element_count(shape) > SampleTensors::most_written; }

/// The entry of a key, made if it is missing.
template <class Map, class Make>
const typename Map::mapped_type& entry(Map& map, typename Map::key_type key, Make&& make) {
    const auto known = map.find(key);
    return known != map.end() ? known->second : map.emplace(std::move(key), make()).first->second;
}

}  // namespace

void SampleTensors::make_room(const Shape& shape) {
    constexpr std::int64_t most = std::int64_t{1} << 26;
    elements_ += element_count(shape);
    if (elements_ <= most) return;
    values_.clear();
    masks_.clear();
    masked_.clear();
    elements_ = element_count(shape);
}

AnyTensor SampleTensors::values(std::size_t argument, DType dtype, const Shape& shape) {
    const auto make = [&] { return sample_values(dtype, shape); };
    if (!is_cached(shape)) return make();
    const std::tuple key{argument, dtype, shape};
    if (!values_.contains(key)) make_room(shape);
    return entry(values_, key, make);
}

AnyTensor SampleTensors::mask(const Shape& shape, const MaskedForm& form) {
    const auto make = [&] { return sample_mask(shape, form.layout, form.pattern, form.seed); };
    if (!is_cached(shape)) return make();
    return entry(masks_,
                 {shape, form.layout == Layout::dense, form.layout == Layout::rows,
                  form.layout == Layout::two_four, form.pattern, form.seed},
                 make);
}

AnyMasked SampleTensors::masked(std::size_t argument, DType dtype, const Shape& shape,
                                const MaskedForm& form) {
    const auto make = [&] {
        return AnyMasked::strided(values(argument, dtype, shape), mask(shape, form)).to(form.layout);
    };
    if (!is_cached(shape)) return make();
    const std::tuple key{argument, dtype, shape, form};
    if (!masked_.contains(key)) make_room(shape);
    return entry(masked_, key, make);
}

}  // namespace frisket::aot
