// SPDX-License-Identifier: MIT
#include "same_rows.hpp"

#include <algorithm>

#include "../../runtime/layouts/layout.hpp"

namespace frisket::codegen {

std::optional<SameRows> SameRows::of(std::span<const int> masked, std::span<const Argument> arguments) {
    SameRows made;
    for (const int symbol : masked) {
        const Argument& argument = arguments[static_cast<std::size_t>(symbol)];
        if (argument.kind() != Argument::Kind::masked || argument.masked().layout() != Layout::rows)
            return {};
        const AnyMasked& given = argument.masked();
        made.all_.push_back(given.values().is_contiguous() ? given : AnyMasked(given.clone()));
        if (!runtime::same_mask(made.all_.front(), given)) return {};
    }
    const IndexList& first = *made.all_.front().index();
    const bool is_shared =
        std::ranges::all_of(made.all_, [&](const AnyMasked& one) { return one.index().get() == &first; });
    if (!is_shared || !(first.has_keys() || first.is_coalesced()))
        for (AnyMasked& one : made.all_) one = one.coalesce();
    return made;
}

std::vector<kernel::ListedRows> SameRows::rows() const {
    std::vector<kernel::ListedRows> rows;
    for (const AnyMasked& one : all_)
        rows.push_back({one.values().address(), one.dtype(), one.size() / one.shape()[0]});
    return rows;
}

}  // namespace frisket::codegen
