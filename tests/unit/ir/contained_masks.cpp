// SPDX-License-Identifier: MIT
#include "../../../ir/tensor_ops/value.hpp"

#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <functional>
#include <string>
#include <vector>

namespace contained_masks_test {

/// Tests of masks that meet without being compared: decided from how they are made, before there are any
/// values.
namespace {

using namespace frisket;
using namespace frisket::ir;
using Catch::Matchers::ContainsSubstring;

struct Operands {
    GraphBuilder graph{"s"};
    Value m, n, cube, row, condition;

    Operands()
        : m(symbol("m", SymbolKind::masked, {3, 3})),
          n(symbol("n", SymbolKind::masked, {3, 3})),
          cube(symbol("cube", SymbolKind::masked, {2, 3, 4})),
          row(symbol("row", SymbolKind::masked, {1, 3})),
          condition(apply<op::Gt>({symbol("d", SymbolKind::in, {3, 3}), number(graph, 0.0)})) {}
    Operands(const Operands&) = delete;

    Value symbol(const char* name, SymbolKind kind, const Shape& shape) {
        return {&graph, graph.symbol(name, kind, DType::float64, shape)};
    }
};

using Make = Value (*)(Operands& o);

/// An operation of two operands, and the one that has the mask of the result.
struct Case {
    const char* written;
    Make a, b;
};

constexpr Case contained[] = {
    {"mean(m)", [](Operands& o) { return o.m; }, [](Operands& o) { return mean(o.m); }},
    {"mean(m, keepdim)", [](Operands& o) { return o.m; }, [](Operands& o) { return mean(o.m, {}, true); }},
    {"mean(m, {1}, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(o.m, {{1}}, true); }},
    {"mean(m, {0}, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(o.m, {{0}}, true); }},
    {"mean(m, {0}): leading", [](Operands& o) { return o.m; }, [](Operands& o) { return mean(o.m, {{0}}); }},
    {"norm(m)", [](Operands& o) { return o.m; }, [](Operands& o) { return norm(o.m); }},
    {"var(m, {1}, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return var(o.m, {{1}}, 1, true); }},
    {"std(m, {1}, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return ir::std(o.m, {{1}}, 1, true); }},
    {"logsumexp(m, {1}, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return logsumexp(o.m, {{1}}, true); }},
    {"logsumexp(m, {0})", [](Operands& o) { return o.m; }, [](Operands& o) { return logsumexp(o.m, {{0}}); }},
    {"argmax(m, 1, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return argmax(o.m, 1, true); }},
    {"2 * mean(m) + 1", [](Operands& o) { return o.m; },
     [](Operands& o) { return number(o.graph, 2.0) * mean(o.m) + number(o.graph, 1.0); }},
    {"mean of means", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(mean(o.m, {{1}}, true)); }},
    {"mean of means without keepdim", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(mean(o.m, {{1}}), {{0}}); }},
    {"a mean and the mean of all", [](Operands& o) { return mean(o.m, {{1}}, true); },
     [](Operands& o) { return mean(o.m); }},
    {"the mean of what was centred", [](Operands& o) { return o.m - mean(o.m); },
     [](Operands& o) { return mean(o.m - mean(o.m, {{1}}, true)); }},
    {"unsqueeze(mean(m, {1}), 1)", [](Operands& o) { return o.m; },
     [](Operands& o) { return unsqueeze(mean(o.m, {{1}}), 1); }},
    {"reshape(mean(m, {1}), {3, 1})", [](Operands& o) { return o.m; },
     [](Operands& o) { return reshape(mean(o.m, {{1}}), {3, 1}); }},
    {"expand(mean(m, {1}, keepdim), {3, 3})", [](Operands& o) { return o.m; },
     [](Operands& o) { return expand(mean(o.m, {{1}}, true), {3, 3}); }},
    {"mean(transpose(m), {1}): leading", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(transpose(o.m, 0, 1), {{1}}); }},
    {"mean(flip(m, {1}), {1}, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(flip(o.m, {1}), {{1}}, true); }},
    {"transpose(m) and mean(m)", [](Operands& o) { return transpose(o.m, 0, 1); },
     [](Operands& o) { return mean(o.m); }},
    {"rows of m and their means", [](Operands& o) { return slice(o.m, 0, 1, 3); },
     [](Operands& o) { return slice(mean(o.m, {{1}}, true), 0, 1, 3); }},
    {"a part of m and its mean", [](Operands& o) { return slice(o.m, 1, 1, 3); },
     [](Operands& o) { return mean(slice(o.m, 1, 1, 3), {{1}}, true); }},
    {"the diagonal of m and its mean", [](Operands& o) { return diagonal(o.m); },
     [](Operands& o) { return mean(diagonal(o.m)); }},
    {"dims in between", [](Operands& o) { return o.cube; },
     [](Operands& o) { return mean(o.cube, {{0, 2}}, true); }},
    {"leading dims", [](Operands& o) { return o.cube; }, [](Operands& o) { return mean(o.cube, {{0, 1}}); }},
    {"a product and its mean", [](Operands& o) { return matmul(o.m, o.n); },
     [](Operands& o) { return mean(matmul(o.m, o.n), {{1}}, true); }},
    {"masked(m, c) and its mean", [](Operands& o) { return restrict(o.m, o.condition); },
     [](Operands& o) { return mean(restrict(o.m, o.condition), {{0}}, true); }},
    {"intersect and its mean", [](Operands& o) { return apply<op::Mul>({o.m, o.n}, MaskMode::intersection); },
     [](Operands& o) { return mean(apply<op::Mul>({o.m, o.n}, MaskMode::intersection)); }},
    {"m * n and mean(n): their masks are equal", [](Operands& o) { return o.m * o.n; },
     [](Operands& o) { return mean(o.n, {{1}}, true); }},
    {"a row repeated by what is dense", [](Operands& o) { return o.row * cast(o.condition, DType::float64); },
     [](Operands& o) { return mean(o.row); }},
};

constexpr Case compared[] = {
    {"mean(n)", [](Operands& o) { return o.m; }, [](Operands& o) { return mean(o.n); }},
    {"mean(n, {1}, keepdim)", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(o.n, {{1}}, true); }},
    {"mean(m, {1}): in place of another dim", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(o.m, {{1}}); }},
    {"means turned", [](Operands& o) { return o.m; },
     [](Operands& o) { return transpose(mean(o.m, {{0}}, true), 0, 1); }},
    {"means flipped", [](Operands& o) { return o.m; },
     [](Operands& o) { return flip(mean(o.m, {{1}}, true), {0}); }},
    {"other rows", [](Operands& o) { return slice(o.m, 0, 0, 2); },
     [](Operands& o) { return slice(mean(o.m, {{1}}, true), 0, 1, 3); }},
    {"a part of m and the mean of all", [](Operands& o) { return slice(o.m, 0, 0, 2); },
     [](Operands& o) { return mean(o.m, {{0}}, true); }},
    {"m and the mean of a part", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(slice(o.m, 1, 0, 2), {{1}}, true); }},
    {"the diagonal and the mean of all", [](Operands& o) { return diagonal(o.m); },
     [](Operands& o) { return mean(o.m); }},
    {"m and the mean of masked(m, c)", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(restrict(o.m, o.condition)); }},
    {"masked(m, c) and the mean of m", [](Operands& o) { return restrict(o.m, o.condition); },
     [](Operands& o) { return mean(o.m); }},
    {"m and the mean of an intersection", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(apply<op::Mul>({o.m, o.n}, MaskMode::intersection)); }},
    {"m and the mean of a union", [](Operands& o) { return o.m; },
     [](Operands& o) { return mean(apply<op::Add>({o.m, o.n}, MaskMode::unite)); }},
    {"m and cumulated rows turned", [](Operands& o) { return o.m; },
     [](Operands& o) { return transpose(cumsum(o.m, 0), 0, 1); }},
    {"a stored mean", [](Operands& o) { return o.m; }, [](Operands& o) { return o.row; }},
};

}  // namespace

TEST_CASE("an operand meets what is reduced of it, and the result has its mask", "[ir]") {
    for (const Case& one : contained)
        for (const bool swapped : {false, true}) {
            CAPTURE(one.written, swapped);
            Operands o;
            const Value a = one.a(o), b = one.b(o);
            const std::size_t before = o.graph.graph().checks.size();
            const Value sum = swapped ? b + a : a + b,
                        less = swapped ? apply<op::Lt>({b, a}) : apply<op::Lt>({a, b});
            CHECK(o.graph.graph().checks.size() == before);
            CHECK(sum.node().mask == a.node().mask);
            CHECK(less.node().mask == a.node().mask);
            const Value restricted = swapped ? on(b, a) : on(a, b);
            CHECK(restricted.node().mask == a.node().mask);
            CHECK(o.graph.graph().checks.size() == before);
            CHECK(o.graph.contains(b.node().mask, a.node().mask));
        }
}

TEST_CASE("other masks are compared when there are values, in either order", "[ir]") {
    for (const Case& one : compared)
        for (const bool swapped : {false, true}) {
            CAPTURE(one.written, swapped);
            Operands o;
            const Value a = one.a(o), b = one.b(o);
            const std::size_t before = o.graph.graph().checks.size();
            const Value sum = swapped ? b + a : a + b;
            CHECK(sum.is_masked());
            REQUIRE(o.graph.graph().checks.size() == before + 1);
            const Check& check = o.graph.graph().checks.back();
            CHECK(check.code == ErrorCode::mask_mismatch);
            CHECK_THAT(check.text, ContainsSubstring("operand 1 of add") &&
                                       ContainsSubstring("operand 2 of add") &&
                                       !ContainsSubstring("logical_xor"));
            CHECK_FALSE(o.graph.contains(b.node().mask, a.node().mask));
        }
}

TEST_CASE("a branch that is specified wherever the condition is leaves the condition's mask", "[ir]") {
    Operands o;
    const Value above = apply<op::Gt>({o.m, mean(o.m)});
    CHECK(where(above, o.m, mean(o.m)).node().mask == o.m.node().mask);
    CHECK(where(above, mean(o.m, {{1}}, true), number(o.graph, 0.0)).node().mask == o.m.node().mask);
    CHECK(where(above, mean(o.n), o.m).node().mask != o.m.node().mask);
    CHECK(o.graph.graph().checks.empty());
}

TEST_CASE("an update over a mask takes what is reduced of it", "[ir]") {
    Operands o;
    o.graph.symbol("p", SymbolKind::in_out, DType::float64, {3, 3});
    o.graph.symbol("q", SymbolKind::in_out, DType::float64, {3, 1});
    o.graph.over(o.m.id);
    o.graph.update("p", mean(o.m, {{1}}, true).id);
    const Graph& graph = o.graph.graph();
    CHECK(graph[graph.updates.back()].operands[update_operand::where] == o.m.node().mask);
    CHECK(o.graph.graph().checks.empty());
    // One element of q would be restricted by several of m.
    o.graph.update("q", mean(o.m, {{1}}, true).id);
    CHECK(o.graph.graph().checks.size() == 1);
}

}  // namespace contained_masks_test
