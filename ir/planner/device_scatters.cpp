// SPDX-License-Identifier: MIT
#include "device_scatters.hpp"

#include "../../runtime/device/device_lists.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "scattered_results.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// Indices along one dimension of the target, that grow by these steps along the dimensions of the entries'
/// space.  Shape: they stay below `extent`.
AnyTensor counted(const Device& device, std::int64_t extent, std::int64_t first, const Shape& space,
                  const Strides& steps) {
    const AnyTensor numbers = runtime::counted_on(device, extent);
    const auto begin = static_cast<std::byte*>(numbers.address()) + first * bytes_of(numbers.dtype());
    return {numbers.dtype(), begin, space, steps, false, numbers.owner()};
}

/// The indices of entries along a dimension of the target: a vector.
AnyTensor indices_along(std::size_t dim, const ListedScatter& scattered, std::span<const Result> made,
                        const Shape& space, std::size_t rank) {
    const Node& node = scattered.node;
    const Device device = made[at(scattered.values)].values.device();
    const std::int64_t extent = node.shape[dim];
    Strides steps(space.size(), 0);
    if (node.kind == NodeKind::scatter_view) {
        for (std::size_t j = 0; j < space.size(); ++j) steps[j] = node.attributes[dim * rank + j];
        const std::int64_t first = node.offsets.empty() ? 0 : node.offsets[dim];
        return runtime::flat(counted(device, extent, first, space, steps));
    }
    const std::int64_t from = node.attributes[dim];
    if (from < 0)
        return runtime::flat(over_entries(made[at(scattered.indices[at(-1 - from)])].values, rank, space));
    steps[at(from)] = 1;
    return runtime::flat(counted(device, extent, 0, space, steps));
}

AnyMasked listed_on_device(const ListedScatter& scattered, std::span<const Result> made) {
    const bool is_rows = scattered.layout == Layout::rows;
    const Shape& target = scattered.node.shape;
    const std::size_t trailing = is_rows ? target.size() - 1 : 0, dims = is_rows ? 1 : target.size();
    AnyTensor values = values_of(scattered, made, trailing);
    const Shape space(values.shape().begin(), values.shape().end() - static_cast<std::ptrdiff_t>(trailing));
    const std::size_t rank = values.shape().size();
    std::vector<AnyTensor> indices;
    for (std::size_t d = 0; d < dims; ++d) indices.push_back(indices_along(d, scattered, made, space, rank));
    AnyTensor places = runtime::places_of(
        indices, Shape(target.begin(), target.begin() + static_cast<std::ptrdiff_t>(dims)));
    Shape shape(target.begin() + 1, target.begin() + 1 + static_cast<std::ptrdiff_t>(trailing));
    shape.insert(shape.begin(), places.size());
    values = runtime::flat(values).reshape(shape);
    if (scattered.where != ListedScatter::none) {
        const AnyTensor where = over_entries(made[at(scattered.where)].values, rank, space);
        const AnyTensor kept = runtime::positions_of(runtime::packed_bits(runtime::flat(where)));
        const std::int64_t length = is_rows ? runtime::row_length(target) : 1;
        places = runtime::gathered_rows(places, kept, 1, {kept.size()});
        shape[0] = kept.size();
        values = runtime::gathered_rows(values, kept, length, shape);
    }
    auto [unique, sums] = runtime::coalesced(places, values, runtime::SumIn::float64);
    return AnyMasked::placed(scattered.layout, target, std::move(sums), std::move(unique));
}

/// Entries of two lists; entries of one position are added.
AnyMasked united_on_device(const AnyMasked& a, const AnyMasked& b) {
    const auto both = [](const AnyTensor& first, const AnyTensor& second) {
        Shape shape = first.shape();
        const std::int64_t begin = shape[0];
        shape[0] += second.shape()[0];
        const AnyTensor made = empty(first.dtype(), shape, first.device());
        if (first.size() > 0) copy(first, made.slice(0, 0, begin));
        if (second.size() > 0) copy(second, made.slice(0, begin, shape[0]));
        return made;
    };
    auto [places, values] = runtime::coalesced(both(a.places(), b.places()), both(a.values(), b.values()));
    return AnyMasked::placed(a.layout(), a.shape(), std::move(values), std::move(places));
}

}  // namespace

Result listed_scatters_on_device(const ScatteredResults::Scatters& scatters, std::span<const Result> made) {
    const Layout layout = layout_of(scatters);
    AnyMasked all = listed_on_device(scatters.front(), made);
    for (const ListedScatter& scatter : std::span(scatters).subspan(1))
        all = united_on_device(all.to(layout), listed_on_device(scatter, made).to(layout));
    return {.listed = std::move(all)};
}

}  // namespace frisket::planning
