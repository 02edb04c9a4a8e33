// SPDX-License-Identifier: MIT
#include "graph_helpers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <functional>

namespace graph_refusals_test {

using namespace frisket;
using Catch::Matchers::Message;

namespace {

/// Symbols of a step, for wrong uses that GraphBuilder refuses.
struct Names {
    GraphBuilder b{"s"};
    NodeId p = b.symbol("p", SymbolKind::in_out, DType::float32);
    NodeId q = b.symbol("q", SymbolKind::in_out, DType::float32);
    NodeId x = b.symbol("x", SymbolKind::in, DType::float32);
    NodeId c = b.symbol("c", SymbolKind::in, DType::boolean);
    NodeId g = b.symbol("g", SymbolKind::masked, DType::float32);
    NodeId h = b.symbol("h", SymbolKind::masked, DType::float32);
    NodeId k = b.symbol("k", SymbolKind::masked, DType::float32);
    NodeId lr = b.symbol("lr", SymbolKind::scalar, DType::float64);
    NodeId mu = b.symbol("mu", SymbolKind::scalar_state, DType::float64);
    NodeId depends() { return b.apply<op::Where>({c, g, h}); }
};

struct Refusal {
    const char* what;
    ErrorCode code;
    std::function<void(Names&)> make;
    const char* text;
};

const Refusal refusals[] = {
    {"one name of two kinds", ErrorCode::binding,
     [](Names& n) { n.b.symbol("p", SymbolKind::in, DType::float32); },
     "frisket: s: p is both InOut of float32 and In of float32: one name, one thing"},
    {"one name of two dtypes", ErrorCode::binding,
     [](Names& n) { n.b.symbol("p", SymbolKind::in_out, DType::float64); },
     "frisket: s: p is both InOut of float32 and InOut of float64: one name, one thing"},
    {"a Let that is a symbol", ErrorCode::binding, [](Names& n) { n.b.let("p", n.x); },
     "frisket: s: p is defined twice: give the second value a name of its own"},
    {"a Let that is not there yet", ErrorCode::binding,
     [](Names& n) { n.b.symbol("d", SymbolKind::let, DType::float32); },
     "frisket: s: d is read before it is defined: a Let is defined above its use"},
    {"a scalar of float32", ErrorCode::dtype,
     [](Names& n) { n.b.symbol("i", SymbolKind::scalar, DType::float32); },
     "frisket: s: i is float32: numbers of the host are float64 or int64"},
    {"arithmetic of bool", ErrorCode::dtype, [](Names& n) { n.b.apply<op::Sub>({n.c, n.c}); },
     "frisket: s: sub is not defined for bool: write where(condition, x, y), or a logical operation"},
    {"a condition that is a float", ErrorCode::dtype, [](Names& n) { n.b.apply<op::Where>({n.x, n.x, n.x}); },
     "frisket: s: the condition of where is float32, wanted bool: write a comparison"},
    {"bits of floats", ErrorCode::dtype, [](Names& n) { n.b.apply<op::BitwiseAnd>({n.x, n.b.constant(1)}); },
     "frisket: s: bitwise_and is not defined for float32"},
    {"a quotient of whole numbers by 0", ErrorCode::value,
     [](Names& n) {
         n.b.apply<op::FloorDivide>({n.b.symbol("i", SymbolKind::in, DType::int32), n.b.constant(0)});
     },
     "frisket: s: floor_divide of whole numbers by 0: write a float operand, or where(...) around it"},
    {"a power of whole numbers that may be negative", ErrorCode::value,
     [](Names& n) {
         const NodeId i = n.b.symbol("i", SymbolKind::in, DType::int32);
         n.b.apply<op::Pow>({i, i});
     },
     "frisket: s: this depends on values, which a step cannot take back once it has written: pow of whole "
     "numbers by a negative power: write a float operand, or where(...) around it"},
    {"too few operands", ErrorCode::value, [](Names& n) { n.b.apply<op::Add>({n.x}); },
     "frisket: s: add takes 2 operands, and got 1"},
    {"an update of In", ErrorCode::binding, [](Names& n) { n.b.update("x", n.p); },
     "frisket: s: x is In, which a step reads only: what it writes is InOut or ScalarState"},
    {"an update of Masked", ErrorCode::binding, [](Names& n) { n.b.update("g", n.g); },
     "frisket: s: g is Masked, which a step reads only: what it writes is InOut or ScalarState"},
    {"an update of nothing", ErrorCode::binding, [](Names& n) { n.b.update("z", n.p); },
     "frisket: s: z is updated, and there is no such symbol"},
    {"elements for a number", ErrorCode::value,
     [](Names& n) { n.b.update("mu", n.b.apply<op::Mul>({n.mu, n.x})); },
     "frisket: s: mu is a number and takes mul(mu, x), which has elements: write an expression of scalars"},
    {"a float for a bool", ErrorCode::dtype,
     [](Names& n) {
         n.b.symbol("o", SymbolKind::in_out, DType::boolean);
         n.b.update("o", n.x);
     },
     "frisket: s: o is bool and takes float32: write a comparison"},
    {"a float for a whole number", ErrorCode::dtype,
     [](Names& n) {
         n.b.symbol("o", SymbolKind::in_out, DType::int32);
         n.b.update("o", n.x);
     },
     "frisket: s: o is int32 and takes float32: write cast<std::int32_t>(x), or give it a float dtype"},
    {"a number of the host that is a float, for bytes", ErrorCode::dtype,
     [](Names& n) {
         n.b.symbol("o", SymbolKind::in_out, DType::uint8);
         n.b.update("o", n.b.constant(1.0));
     },
     "frisket: s: o is uint8 and takes float32: write cast<std::uint8_t>(x), or give it a float dtype"},
    {"on something dense", ErrorCode::value, [](Names& n) { n.b.on(n.x, n.p); },
     "frisket: s: on(x, ...) has no mask to restrict to: its first operand is dense"},
    {"over something dense", ErrorCode::value, [](Names& n) { n.b.over(n.x); },
     "frisket: s: over(x) has no mask: write a Masked symbol"},
    {"a fill with elements", ErrorCode::value, [](Names& n) { n.b.to_dense(n.g, n.x); },
     "frisket: s: the fill of to_dense is x, wanted a number: a constant, or an expression of scalars"},
    {"a mask that depends on values where it meets another", ErrorCode::mask_mismatch,
     [](Names& n) { n.b.apply<op::Mul>({n.depends(), n.k}); },
     "frisket: s: the mask where(c, mask_of(g), mask_of(h)) meets the mask k, and one of them depends on "
     "values, so "
     "that they cannot be compared before the loop: write to_dense(x, fill) for one of the operands"},
    {"a dense update beside a masked one", ErrorCode::value,
     [](Names& n) {
         n.b.update("p", n.g);
         n.b.update("q", n.b.apply<op::Mul>({n.q, n.lr}));
         n.b.finish();
     },
     "frisket: s: q takes a dense value in a step that updates p only where g is specified: write on(g, "
     "...), or "
     "everywhere(q = ...) if all elements are meant"},
    {"everywhere with a masked value", ErrorCode::value,
     [](Names& n) { n.b.update("p", n.g, Scope::everywhere); },
     "frisket: s: everywhere(p = ...) takes what is specified only where g is: write to_dense(x, fill)"},
    {"a mask made from what the step updates", ErrorCode::value,
     [](Names& n) {
         const NodeId positive = n.b.apply<op::Gt>({n.p, n.b.constant(0)});
         n.b.update("p", n.b.apply<op::Where>({positive, n.g, n.h}));
         n.b.finish();
     },
     "frisket: s: the mask of what p takes is made from what the step updates: where(gt(p, 0), mask_of(g), "
     "mask_of(h)); write to_dense(x, fill), or make the mask before the step"},
    {"a step without updates", ErrorCode::value, [](Names& n) { n.b.finish(); },
     "frisket: s: nothing is updated: write target = expression, or target += expression"},
};

}  // namespace

TEST_CASE("a graph refuses what it cannot mean, with a sentence", "[ir]") {
    for (const Refusal& refusal : refusals) {
        CAPTURE(refusal.what);
        Names names;
        CHECK_THROWS_MATCHES(refusal.make(names), Error, Message(refusal.text));
        try {
            Names again;
            refusal.make(again);
        } catch (const Error& error) { CHECK(name_of(error.code()) == name_of(refusal.code)); }
    }
}

TEST_CASE("an unknown operation is refused with the names there are", "[ir]") {
    CHECK(info_of(find_op("logical_and")).name == "logical_and");
    try {
        find_op("softsign");
        FAIL("there is no softsign");
    } catch (const ValueError& error) {
        const std::string text = error.what();
        CHECK(text.starts_with("frisket: there is no operation 'softsign': there are add sub mul"));
    }
}

}  // namespace graph_refusals_test
