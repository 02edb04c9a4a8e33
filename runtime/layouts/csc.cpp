// SPDX-License-Identifier: MIT
/// csc: a matrix column by column: pointers to where each column starts, ascending rows, and one value each;
/// every stored element is specified.
#include "compressed.hpp"

namespace frisket {

using namespace runtime;

AnyMasked AnyMasked::csc(Shape shape, std::vector<std::int64_t> column_pointers,
                         std::vector<std::int64_t> rows, AnyTensor values,
                         std::optional<AnyTensor> values_mask) {
    return csc_compression.made(
        std::move(shape),
        {.pointers = std::move(column_pointers), .indices = std::move(rows), .blocksize = Blocksize{}},
        std::move(values), values_mask);
}

constinit const LayoutTraits runtime::csc_traits = CompressedRow<csc_compression>::row("csc");

}  // namespace frisket
