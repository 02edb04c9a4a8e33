// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include <aot_coo.hpp>
#include <aot_kernels.hpp>
#include <aot_mixed.hpp>
#include <aot_tuned.hpp>

#include "ahead.hpp"

/// The kernels of tests/unit/codegen.
namespace fuzz {

std::span<const KernelAhead> kernels_ahead() {
    static const std::vector<KernelAhead> all = [] {
        std::vector<std::vector<Layout>> every, as_lists;
        for (const Layout layout : all_layouts()) every.push_back({layout});
        for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc})
            as_lists.push_back({layout});
        const Graph adagrad = describe(steps::adagrad), functions = describe(steps::functions);
        return std::vector<KernelAhead>{
            {"adagrad of aot_kernels", adagrad, frisket::aot::make_kernel(aot_kernels::made::adagrad), every},
            {"functions of aot_kernels", functions, frisket::aot::make_kernel(aot_kernels::made::functions),
             every},
            {"adagrad of aot_coo", adagrad, frisket::aot::make_kernel(aot_coo::made::adagrad), as_lists},
            {"adagrad of aot_tuned",
             adagrad,
             frisket::aot::make_kernel(aot_tuned::made::adagrad),
             {{Layout::bitmask}, {Layout::rows}}},
            {"two_masks of aot_mixed",
             describe(steps::two_masks),
             frisket::aot::make_kernel(aot_mixed::made::two_masks),
             {{Layout::coo, Layout::strided}, {Layout::strided, Layout::strided}}},
            {"plain of aot_mixed",
             describe(steps::plain),
             frisket::aot::make_kernel(aot_mixed::made::plain),
             {{}}},
        };
    }();
    return all;
}

}  // namespace fuzz
