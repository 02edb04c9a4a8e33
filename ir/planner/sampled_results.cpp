// SPDX-License-Identifier: MIT
#include "sampled_results.hpp"

#include "../../runtime/layouts/layout_traits.hpp"

#include <cstring>
#include <utility>

namespace frisket::planning {

namespace {

/// The positions at which a bool is true, and those values.
std::pair<std::vector<std::int64_t>, AnyTensor> chosen(const runtime::IndexView& positions,
                                                       const Result& listed) {
    std::vector<std::int64_t> kept;
    const AnyTensor values = listed.values.is_contiguous() ? listed.values : listed.values.clone();
    if (!listed.mask) {
        for (std::int64_t i = 0; i < positions.size(); ++i) kept.push_back(positions[i]);
        return {kept, values};
    }
    const AnyTensor mask = listed.mask->clone();
    const auto* specified = static_cast<const unsigned char*>(mask.data());
    std::vector<std::int64_t> from;
    for (std::int64_t i = 0; i < positions.size(); ++i) {
        if (specified[i] == 0) continue;
        kept.push_back(positions[i]);
        from.push_back(i);
    }
    AnyTensor some(values.dtype(), {static_cast<std::int64_t>(from.size())});
    const auto bytes = static_cast<std::size_t>(bytes_of(values.dtype()));
    for (std::size_t i = 0; i < from.size(); ++i)
        std::memcpy(static_cast<std::byte*>(some.data()) + i * bytes,
                    static_cast<const std::byte*>(values.data()) + static_cast<std::size_t>(from[i]) * bytes,
                    bytes);
    return {kept, some};
}

/// With a mask of its own a row may be specified in part.
Result converted(const AnyMasked& made, const AnyMasked& domain, bool has_own_mask) {
    const Layout layout = domain.layout();
    if (layout == Layout::strided)
        return {.values = runtime::dense_values(made),
                .mask = has_own_mask ? AnyTensor(made.mask_tensor()) : domain.mask()};
    if (runtime::lists_rows(layout)) return {.listed = made.to(has_own_mask ? Layout::coo : layout)};
    if (runtime::traits_of(layout).from_blocks)
        return {.listed = made.to(layout, domain.compressed_index()->blocksize)};
    return {.listed = made.to(layout)};
}

}  // namespace

Result in_layout_of(const AnyMasked& domain, const SampledPositions* positions, const Result& made,
                    bool has_own_mask) {
    if (positions == nullptr) {
        const Result whole = strided(made);
        return converted(AnyMasked::strided(whole.values, *whole.mask), domain, has_own_mask);
    }
    auto [kept, values] = chosen(positions->places.positions, strided(made));
    const auto list = std::make_shared<const IndexList>(std::move(kept), domain.size());
    return converted(AnyMasked::indexed(Layout::coo, domain.shape(), list, values), domain, has_own_mask);
}

}  // namespace frisket::planning
