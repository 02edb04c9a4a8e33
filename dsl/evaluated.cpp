// SPDX-License-Identifier: MIT
#include "evaluated.hpp"

#include <utility>

#include "../runtime/tensor/error.hpp"

namespace frisket::detail {

namespace {

/// Memory of its own, row-major.
AnyTensor owned(AnyTensor values) {
    const bool is_alone = values.is_writable() && values.is_contiguous() && values.owner().use_count() == 1;
    return is_alone ? std::move(values) : values.clone();
}

}  // namespace

AnyTensor dense_value(Result&& result) {
    if (result.mask) throw Bug("eval: a dense expression gave a masked result");
    return owned(std::move(result.values));
}

AnyMasked masked_value(Result&& result, std::optional<Layout> layout) {
    const auto own = [&] {
        if (result.listed) return std::move(*result.listed);
        if (!result.mask) return AnyMasked::dense(owned(std::move(result.values)));
        return AnyMasked::strided(owned(std::move(result.values)), owned(std::move(*result.mask)));
    };
    AnyMasked value = own();
    return !layout || value.layout() == *layout ? std::move(value) : value.to(*layout);
}

ir::Value with_elements(GraphEmitter& lowering, NodeId made, DType wanted) {
    const ir::Value expr{&lowering.graph(), made};
    return expr.node().result_dtype() == wanted ? expr : ir::cast(expr, wanted);
}

}  // namespace frisket::detail
