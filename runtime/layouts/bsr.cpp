// SPDX-License-Identifier: MIT
/// bsr: as csr, with a block of elements for each entry, row-major; at least one element of a stored block is
/// specified, and a bool stored with each value is true if it is.
#include "compressed.hpp"

namespace frisket {

using namespace runtime;

AnyMasked AnyMasked::bsr(Shape shape, Blocksize blocksize, std::vector<std::int64_t> row_pointers,
                         std::vector<std::int64_t> columns, AnyTensor values,
                         std::optional<AnyTensor> values_mask) {
    return bsr_compression.made(
        std::move(shape),
        {.pointers = std::move(row_pointers), .indices = std::move(columns), .blocksize = blocksize},
        std::move(values), values_mask);
}

constinit const LayoutTraits runtime::bsr_traits = CompressedRow<bsr_compression>::row("bsr");

}  // namespace frisket
