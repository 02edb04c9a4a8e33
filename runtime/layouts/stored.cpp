// SPDX-License-Identifier: MIT
#include "stored.hpp"

#include "compressed.hpp"
#include "conversion.hpp"
#include "layout_traits.hpp"

namespace frisket::runtime {

AnyMasked as_list(const AnyMasked& masked) {
    if (lists_elements(masked.layout()) && !masked.index() && masked.values().device().is_cpu())
        return seen_elements(masked, Layout::coo);
    AnyMasked list = masked.to(Layout::coo);
    return list.values().is_contiguous() ? list : with_values(list, list.values().clone());
}

AnyMasked with_values(const AnyMasked& like, AnyTensor values) {
    if (!like.index()) return Compression::with_values(like, std::move(values));
    Shape shape = like.shape();
    if (lists_rows(like.layout())) {
        shape = values.shape();
        shape[0] = like.shape()[0];
    }
    return AnyMasked::indexed(like.layout(), std::move(shape), like.index(), std::move(values));
}

}  // namespace frisket::runtime
