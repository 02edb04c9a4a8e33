// SPDX-License-Identifier: MIT
#include "touched.hpp"

#include "../runtime/layouts/layout_traits.hpp"

#include <cstddef>
#include <cstring>

namespace frisket::optim {

WholeRows::WholeRows(const Argument& gradient) : given_(gradient) {
    if (!runtime::has_mask(gradient.layout()))
        rows_.all = true;
    else if (gradient.masked().rank() == 0)
        rows_.all = gradient.masked().specified_count() > 0;
    else if (runtime::lists_rows(gradient.masked().layout()))
        list(gradient.masked());
    else if (!gradient.masked().device().is_cpu())
        fill_on_device(gradient.masked());
    else
        fill(gradient.masked());
}

/// Rows that are listed are specified whole already.
void WholeRows::list(const AnyMasked& gradient) {
    if (!gradient.device().is_cpu()) {
        rows_.places = gradient.places();
        return;
    }
    const IndexList& given = *gradient.index();
    const IndexList& index = given.is_coalesced() ? given : given.unique();
    for (std::int64_t i = 0; i < index.size(); ++i) rows_.rows.push_back(index[i]);
}

void WholeRows::fill(const AnyMasked& gradient) {
    const AnyMasked listed = gradient.to(Layout::coo);
    const IndexList& positions = *listed.index();
    Shape shape = gradient.shape();
    const std::int64_t length = shape[0] == 0 ? 0 : gradient.size() / shape[0];
    for (std::int64_t i = 0; i < positions.size(); ++i)
        if (const std::int64_t row = positions[i] / length; rows_.rows.empty() || rows_.rows.back() != row)
            rows_.rows.push_back(row);
    shape[0] = static_cast<std::int64_t>(rows_.rows.size());
    const AnyTensor values(gradient.dtype(), shape);
    const auto bytes = static_cast<std::size_t>(bytes_of(gradient.dtype()));
    const AnyTensor stored = listed.values().is_contiguous() ? listed.values() : listed.values().clone();
    const auto* from = static_cast<const std::byte*>(stored.data());
    std::size_t at = 0;
    for (std::int64_t i = 0; i < positions.size(); ++i, from += bytes) {
        while (rows_.rows[at] != positions[i] / length) ++at;
        const auto to =
            static_cast<std::size_t>(length) * at + static_cast<std::size_t>(positions[i] % length);
        std::memcpy(static_cast<std::byte*>(values.data()) + to * bytes, from, bytes);
    }
    masked_ = AnyMasked::rows(gradient.shape(), rows_.rows, values);
    is_masked_ = true;
}

void WholeRows::fill_on_device(const AnyMasked& gradient) {
    using namespace runtime;
    Shape shape = gradient.shape();
    const std::int64_t length = shape[0] == 0 ? 0 : gradient.size() / shape[0];
    rows_.places = positions_of(on_device::rows_with(on_device::mask_bytes(gradient), length, 1, length));
    const AnyTensor whole = gradient.to_dense(0);
    shape[0] = rows_.places.size();
    masked_ = AnyMasked::placed(Layout::rows, gradient.shape(),
                                gathered_rows(whole, rows_.places, length, shape), rows_.places);
    is_masked_ = true;
}

}  // namespace frisket::optim
