// SPDX-License-Identifier: MIT
/// csr: a matrix row by row: pointers to where each row starts, ascending columns, and one value each; every
/// stored element is specified.
#include "compressed.hpp"

namespace frisket {

using namespace runtime;

AnyMasked AnyMasked::csr(Shape shape, std::vector<std::int64_t> row_pointers,
                         std::vector<std::int64_t> columns, AnyTensor values,
                         std::optional<AnyTensor> values_mask) {
    return csr_compression.made(
        std::move(shape),
        {.pointers = std::move(row_pointers), .indices = std::move(columns), .blocksize = Blocksize{}},
        std::move(values), values_mask);
}

constinit const LayoutTraits runtime::csr_traits = CompressedRow<csr_compression>::row("csr");

}  // namespace frisket
