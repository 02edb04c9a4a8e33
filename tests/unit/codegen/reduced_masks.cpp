// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <tuple>

namespace reduced_masks_test {

/// Operands that meet their own reductions: as where the reduction is made dense first, in every layout.
namespace {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;

constexpr Layout layouts[] = {Layout::strided, Layout::bitmask, Layout::coo, Layout::rows,    Layout::csr,
                              Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};

/// A reduction as it is, and one that is dense, with 0 where it is unspecified.
constexpr auto as_it_is = [](const auto& reduced) { return reduced; };
constexpr auto made_dense = [](const auto& reduced) { return to_dense(reduced, 0); };

/// Expressions of one tensor; `r` encloses each reduction.
constexpr auto expressions = std::tuple{
    [](const auto& x, const auto& r) { return x - r(mean(x)); },
    [](const auto& x, const auto& r) { return r(mean(x)) - x; },
    [](const auto& x, const auto& r) { return x / r(norm(x)); },
    [](const auto& x, const auto& r) { return x - r(mean(x, {1}, keepdim)); },
    [](const auto& x, const auto& r) { return r(amax(x, {0}, keepdim)) - x; },
    [](const auto& x, const auto& r) { return x + r(sum(x, {0})) * 2; },
    [](const auto& x, const auto& r) { return x - r(2 * mean(mean(x, {1}, keepdim)) + 1); },
    [](const auto& x, const auto& r) { return (x - r(mean(x, {1}, keepdim))) / r(norm(x, {1}, keepdim)); },
    [](const auto& x, const auto& r) { return where(x > r(mean(x)), x, 0); },
    [](const auto& x, const auto& r) { return on(x, r(sum(x, {1}, keepdim))) + x; },
    [](const auto& x, const auto& r) { return x - r(unsqueeze(mean(x, {1}), 1)); },
};

template <class T>
void check_as_dense(const MaskedTensor<T>& m, const EvalOptions& how) {
    std::apply(
        [&](const auto&... make) {
            int at = 0;
            const auto check = [&](const auto& one) {
                CAPTURE(at++);
                const MaskedTensor<T> found = eval(one(m, as_it_is), how);
                CHECK(same(found.mask_tensor(), m.mask_tensor()));
                CHECK(same(found, eval(one(m, made_dense), how)));
                check_close(found, oracle(one(m, as_it_is)));
            };
            (check(make), ...);
        },
        expressions);
}

/// Text of an error of class Thrown that `call` throws.
template <class Thrown, class Call>
std::string message_of(Call&& call) {
    try {
        call();
    } catch (const Thrown& error) { return error.what(); }
    return "no error";
}

}  // namespace

TEST_CASE("an operand meets what is reduced of it in every layout", "[codegen]") {
    const double density = GENERATE(0.0, 0.3, 0.5);
    for (const Layout layout : layouts) {
        CAPTURE(name_of(layout), density);
        check_as_dense(random_masked({8, 8}, specified(density), layout, 5), {.jit = Jit::never});
    }
    check_as_dense(random_masked({1, 8}, specified(density), Layout::coo, 5), {.jit = Jit::never});
    check_as_dense(random_masked({8, 1}, specified(density), Layout::csr, 5), {.jit = Jit::never});
    check_as_dense(random_masked({0, 8}, specified(density), Layout::coo, 5), {.jit = Jit::never});
}

TEST_CASE("an operand meets what is reduced of it in compiled loops", "[codegen]") {
    const Layout layout = GENERATE(Layout::strided, Layout::bitmask, Layout::coo, Layout::rows);
    CAPTURE(name_of(layout));
    check_as_dense(random_masked({9, 67}, specified(0.3), layout, 7), {.jit = Jit::always});
}

TEST_CASE("what is reduced of lists meets them in memory for what is stored", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = huge_coo();
    CHECK(
        same(eval(m - mean(m, {1}, keepdim), how),
             MaskedTensor<float>::coo({huge, 1 << 20}, {{7, 5, huge - 1, 5}, {1, 2, 3, 9}}, {0, 3, 0, -3})));
    CHECK(eval(m / norm(m, {0}, keepdim), how).specified_count() == 4);
    CHECK(eval(m - mean(m), how).specified_count() == 4);
}

TEST_CASE("gradients of what meets its reduction are masked as the operand is", "[codegen]") {
    const Layout layout = GENERATE(Layout::strided, Layout::coo, Layout::rows, Layout::csc);
    const EvalOptions how = options();
    CAPTURE(name_of(layout));
    const MaskedTensor<double> m =
        random_masked<double>({4, 4}, specified(0.5), layout, 11, Listed::ascending);
    const auto check = [&](auto&& make) {
        const auto slope = [&](const auto& x, const auto& r) {
            return eval(gradient(sum(make(x, r) * make(x, r) * x), x), how);
        };
        const MaskedTensor<double> found = slope(m, as_it_is);
        CHECK(same(found.mask_tensor(), m.mask_tensor()));
        CHECK(allclose(found.to_dense(0), slope(strided(m), made_dense).to_dense(0), 1e-9));
        CHECK(gradcheck([&](auto x) { return make(x, as_it_is); }, m, {.masked = true}).pass);
    };
    check([](const auto& x, const auto& r) { return x - r(mean(x)); });
    check([](const auto& x, const auto& r) { return x / r(norm(x)); });
    check([](const auto& x, const auto& r) { return x - r(mean(x, {1}, keepdim)); });
}

TEST_CASE("masks that differ are refused with the operands as they are written", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::strided, Layout::coo);
    const auto whole =
        MaskedTensor<float>::coo({2, 2}, {{0, 0, 1, 1}, {0, 1, 0, 1}}, {1, 2, 3, 4}).to(layout);
    const auto m = MaskedTensor<float>::coo({2, 2}, {{1, 1}, {0, 1}}, {1, 3}).to(layout);
    const auto n = MaskedTensor<float>::coo({2, 2}, {{0}, {1}}, {5}).to(layout);
    const std::string tensor = "a tensor (shape [2, 2], layout " + std::string(name_of(layout)) + ")";
    const auto refused = [&](const auto& e) { return message_of<MaskMismatch>([&] { eval(e, how); }); };
    CHECK(same(eval(whole - mean(whole, {1}), how), eval(whole - to_dense(mean(whole, {1}), 0), how)));
    const std::string turned = refused(m - mean(m, {1})), other = refused(m - mean(n));
    CHECK_THAT(turned, ContainsSubstring("operand 1 of sub, " + tensor + ", and operand 2 of sub, mean(" +
                                         tensor + "), specify different elements, first at [0, 1]"));
    CHECK_THAT(turned, ContainsSubstring("within one expression"));
    CHECK_THAT(other, ContainsSubstring("operand 2 of sub, mean(" + tensor + "), specify different"));
    CHECK_THAT(refused(m - eval(mean(m, {0}, keepdim), how)), ContainsSubstring("within one expression"));
    CHECK_THAT(turned + other, !ContainsSubstring("logical_xor"));
}

}  // namespace reduced_masks_test
