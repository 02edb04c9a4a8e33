// SPDX-License-Identifier: MIT
#include "same_rows.hpp"

#include <algorithm>

#include "../../runtime/device/device_lists.hpp"
#include "../../runtime/layouts/layout_traits.hpp"

namespace frisket::codegen {

namespace {

/// A masked tensor whose layout is rows; a dense one of a device is a list of all its rows.
std::optional<AnyMasked> as_rows(const AnyMasked& masked) {
    if (masked.layout() == Layout::rows) return masked;
    if (runtime::has_mask(masked.layout()) || masked.device().is_cpu()) return {};
    return AnyMasked::placed(Layout::rows, masked.shape(), masked.values(),
                             runtime::counted_on(masked.device(), masked.shape()[0]));
}

}  // namespace

std::optional<SameRows> SameRows::of(std::span<const int> masked, std::span<const Argument> arguments) {
    SameRows made;
    for (const int symbol : masked) {
        const Argument& argument = arguments[static_cast<std::size_t>(symbol)];
        if (argument.kind() != Argument::Kind::masked) return {};
        const std::optional<AnyMasked> listed = as_rows(argument.masked());
        if (!listed) return {};
        const AnyMasked& given = *listed;
        made.all_.push_back(given.values().is_contiguous() ? given : AnyMasked(given.clone()));
        if (!runtime::same_mask(made.all_.front(), given)) return {};
    }
    const auto& index = made.all_.front().index();
    if (!index) return made;  // made on a device, in order
    const IndexList& first = *index;
    const bool is_shared =
        std::ranges::all_of(made.all_, [&](const AnyMasked& one) { return one.index().get() == &first; });
    if (!is_shared || !(first.has_keys() || first.is_coalesced()))
        for (AnyMasked& one : made.all_) one = one.coalesce();
    return made;
}

std::vector<kernel_calls::ListedRows> SameRows::rows() const {
    std::vector<kernel_calls::ListedRows> rows;
    for (const AnyMasked& one : all_)
        rows.push_back({one.values().address(), one.dtype(), one.size() / one.shape()[0]});
    return rows;
}

}  // namespace frisket::codegen
