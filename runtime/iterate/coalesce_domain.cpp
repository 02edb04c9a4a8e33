// SPDX-License-Identifier: MIT
#include "coalesce_domain.hpp"

#include <algorithm>

#include "../kernel/words.hpp"
#include "../layouts/layout_traits.hpp"

namespace frisket::kernel_calls {

namespace {

/// A Masked parameter of another mask, as flat values and bit words.
FlatOperand spread(const Call& call, int i) {
    const AnyTensor values = runtime::dense_values(call.arguments[i].as_masked());
    return {.values = call.scratch.keep(values.is_contiguous() ? values : values.clone()),
            .words = words_of(call, i)};
}

}  // namespace

bool domain_stored_as(const Call& call, Layout layout) {
    if (call.signature.domain < 0) return false;
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_listed(i) && (call.layout(i) != layout || call.shape(i) != call.space)) return false;
    return true;
}

void densify_others(const Call& call) {
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_masked(i) && !call.is_listed(i)) call.scratch.flat[i] = spread(call, i);
}

runtime::IndexView coalesce_domain(const Call& call) {
    densify_others(call);
    runtime::IndexView list;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_listed(i)) continue;
        const AnyMasked& masked = call.arguments[i].masked();
        const bool ready = masked.index()->is_coalesced() && masked.values().is_contiguous();
        if (ready) {
            call.scratch.listed[i] = masked.values().data();
            if (i == call.signature.domain) list = runtime::IndexView(*masked.index());
        } else {
            runtime::Coordinates summed = runtime::coordinates_of(masked);
            call.scratch.listed[i] = call.scratch.keep(std::move(summed.values));
            if (i == call.signature.domain) list = summed.positions;
        }
    }
    return list;
}

}  // namespace frisket::kernel_calls
