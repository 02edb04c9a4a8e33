// SPDX-License-Identifier: MIT
#include "golden.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace planned_test {

using namespace frisket;
using namespace frisket::testing;

/// Plans that are made before anything runs.
namespace {

/// A list of 64 x 48 elements, of 3 in each row.
MaskedTensor<float> listed(Layout layout) {
    std::vector<std::vector<std::int64_t>> places(2);
    for (std::int64_t i = 0; i < 192; ++i) {
        places[0].push_back(i / 3);
        places[1].push_back(i * 5 % 16 + i % 3 * 16);
    }
    return MaskedTensor<float>(
        MaskedTensor<float>::coo({64, 48}, places, full<float>({192}, 0.5F)).to(layout));
}

template <class... E>
std::string page_of(const std::string& source, const E&... expressions) {
    return "## `" + source + "`\n\n```\n" + explain(expressions...) + "```\n\n";
}

}  // namespace

TEST_CASE("plans of compositions are made before they run, and read as they did", "[golden]") {
    const MaskedTensor<float> coo = listed(Layout::coo), csr = listed(Layout::csr);
    const Tensor<float> u = full<float>({64, 16}, 1), v = full<float>({48, 16}, 1),
                        w = full<float>({48, 8}, 1);
    const Tensor<std::int64_t> ids = full<std::int64_t>({8, 4}, 2);
    const auto product = matmul(u, transpose(v, 0, 1));
    std::string pages = page_of("coo * 2 + coo", coo * 2 + coo);
    pages += page_of("sum(coo * csr, {1})", sum(coo * csr, {1}));
    pages +=
        page_of("exp(transpose(coo)) * transpose(csr)", exp(transpose(coo, 0, 1)) * transpose(csr, 0, 1));
    pages += page_of("max(matmul(csr, w), 0)", max(matmul(csr, w), 0));
    pages += page_of("matmul(coo, transpose(csr)) * 2", matmul(coo, transpose(csr, 0, 1)) * 2);
    pages += page_of("on(csr, matmul(u, transpose(v)))", on(csr, product));
    pages += page_of("sum(square(csr - matmul(u, transpose(v))))", sum(square(csr - product)));
    pages += page_of("mean(u[ids], {1})", mean(u[ids], {1}));
    pages += page_of("gradient(sum(square(u[ids])), u)", gradient(sum(square(u[ids])), u));
    pages +=
        page_of("narrow(cat(coo, csr), 0, 60, 8) * 2", narrow(cat(std::tuple(coo, csr), 0), 0, 60, 8) * 2);
    check_golden(
        "planned.md",
        "# Plans before they run\n\n`explain(e)` of ten compositions: `coo` and `csr` are lists of 64 x "
        "48 elements with 192 entries,\n`u` is 64 x 16, `v` 48 x 16, `w` 48 x 8, `ids` 8 x 4. Nothing is "
        "evaluated. Where places that stages\nstore decide, both ways are there, after `if`. Made by\n"
        "`FRISKET_UPDATE_GOLDEN=1 build/bin/test_golden`.\n\n" +
            pages);
}

}  // namespace planned_test
