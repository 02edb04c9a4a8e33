// SPDX-License-Identifier: MIT
#include "stored.hpp"

#include "layout.hpp"

#include "compressed.hpp"

namespace frisket::runtime {

namespace {

template <const Compression& kind>
std::vector<std::int64_t> positions_of_entries(const AnyMasked& masked) {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(masked.values().size()), 0);
    CompressedRow<kind>::each(masked, [&](std::int64_t position, std::int64_t offset) {
        positions[static_cast<std::size_t>(offset)] = position;
    });
    return positions;
}

std::vector<std::int64_t> positions_of_slots(const CompressedIndex& index) {
    std::vector<std::int64_t> positions = index.indices;
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += static_cast<std::int64_t>(i / 2 * 4);
    return positions;
}

}  // namespace

bool is_listed_layout(Layout layout) { return layout >= Layout::coo; }

std::vector<std::int64_t> stored_positions(const AnyMasked& masked) {
    switch (masked.layout()) {
        case Layout::coo: {
            std::vector<std::int64_t> positions(static_cast<std::size_t>(masked.index()->size()));
            for (std::size_t i = 0; i < positions.size(); ++i)
                positions[i] = (*masked.index())[static_cast<std::int64_t>(i)];
            return positions;
        }
        case Layout::csr: return positions_of_entries<csr_compression>(masked);
        case Layout::csc: return positions_of_entries<csc_compression>(masked);
        case Layout::bsr: return positions_of_entries<bsr_compression>(masked);
        case Layout::bsc: return positions_of_entries<bsc_compression>(masked);
        case Layout::two_four: return positions_of_slots(*masked.compressed_index());
        default: break;
    }
    throw Bug("stored positions of layout " + std::string(name_of(masked.layout())));
}

AnyMasked as_list(const AnyMasked& masked) {
    AnyMasked list = masked.to(Layout::coo);
    return list.values().is_contiguous() ? list : with_values(list, list.values().clone());
}

AnyMasked with_values(const AnyMasked& like, AnyTensor values) {
    if (!like.index()) return Compression::with_values(like, std::move(values));
    Shape shape = like.shape();
    if (like.layout() == Layout::rows) {
        shape = values.shape();
        shape[0] = like.shape()[0];
    }
    return AnyMasked::indexed(like.layout(), std::move(shape), like.index(), std::move(values));
}

}  // namespace frisket::runtime
