// SPDX-License-Identifier: MIT
/// bsc: as csc, with a block of elements for each entry, row-major; at least one element of a stored block is
/// specified, and a bool stored with each value is true if it is.
#include "compressed.hpp"

namespace frisket {

using namespace runtime;

AnyMasked AnyMasked::bsc(Shape shape, Blocksize blocksize, std::vector<std::int64_t> column_pointers,
                         std::vector<std::int64_t> rows, AnyTensor values,
                         std::optional<AnyTensor> values_mask) {
    return bsc_compression.made(
        std::move(shape),
        {.pointers = std::move(column_pointers), .indices = std::move(rows), .blocksize = blocksize},
        std::move(values), values_mask);
}

constinit const LayoutTraits runtime::bsc_traits = CompressedRow<bsc_compression>::row("bsc");

}  // namespace frisket
