// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "product_terms.hpp"

/// Products on a device: a thread for each sum of a panel, whose terms it reads where they lie.
namespace frisket::codegen::products {

using Halide::Func;
using Halide::LoopLevel;
using Halide::Var;

TiledProduct device_product(const SharedTerms& terms) {
    const Var panel("panel_");
    std::vector<Var> variables = terms->loops().kept;
    if (terms->has_panels()) variables.push_back(panel);
    const Exprs at = as_exprs(variables);
    Func sums("sums");
    sums(variables) = terms->zero();
    const PanelTerms over = terms->terms_of(panel);
    const IndexTuple place = terms->place(as_exprs(terms->loops().kept), over.term);
    sums(at) = terms->next(sums(at), place, over.domain);
    const Totals sum = totals(*terms, sums, terms->loops().kept);
    Func whole = sum.func;
    const auto schedule = [=](Func& /*reader*/) mutable {
        sums.compute_root();
        whole.compute_root();
        return LoopLevel::root();
    };
    return {result_of(*terms, whole(as_exprs(terms->loops().kept))), schedule};
}

}  // namespace frisket::codegen::products
