// SPDX-License-Identifier: MIT
#include "../../codegen/jit/evaluate.hpp"
#include "both_ways.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <map>
#include <span>

namespace every_operation_means_what_the_interpreter_says_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Bounds for functions that IEEE 754 leaves open: units in the last place between the loops and the C
/// library. Sums of both errors, the C library's being below 1.
double ulps_of(std::string_view name, DType dtype) {
    static const std::map<std::string_view, double> float32{
        {"exp", 3}, {"log", 4}, {"pow", 1}, {"sigmoid", 4}};
    static const std::map<std::string_view, double> float64{{"exp", 1}, {"log", 1}, {"pow", 1}};
    const auto& table = dtype != DType::float64 ? float32 : float64;
    const auto found = table.find(name);
    return found == table.end() ? 0 : found->second;
}

bool is_checked(const OpInfo& row, DType dtype) {
    return row.check != ValueCheck::none && !info(dtype).is_float;
}

/// op(x, y), or op(x < y, x, y); of whole numbers, divisors and powers are constants.
NodeId result_of(GraphBuilder& b, OpId op, DType dtype, NodeId x, NodeId y) {
    const OpInfo& row = info(op);
    const auto operand = [&](NodeId value) {
        const bool wants_bool = row.dtype == DTypeRule::logical;
        return wants_bool && info(dtype).is_float ? b.apply<op::Gt>({value, b.constant(0.5)}) : value;
    };
    std::vector<NodeId> operands{operand(x), operand(y)};
    if (is_checked(row, dtype)) operands[1] = b.constant(row.check == ValueCheck::divisor ? -3 : 5);
    if (row.dtype == DTypeRule::branches)
        operands.insert(operands.begin(), dtype == DType::boolean ? x : b.apply<op::Lt>({x, y}));
    operands.resize(static_cast<std::size_t>(row.arity));
    return b.apply(op, operands);
}

/// An output for each operation, all masked by x.
Graph graph_of(std::span<const OpId> ops, DType dtype) {
    GraphBuilder b("operations");
    const NodeId x = b.symbol("x", SymbolKind::masked, dtype), y = b.symbol("y", SymbolKind::in, dtype);
    b.symbol("copy", SymbolKind::in_out, dtype);
    b.update("copy", b.on(x, y));  // steps of unary operations read y as well
    for (const OpId op : ops) {
        const NodeId result = result_of(b, op, dtype, x, y);
        const std::string out = "out_" + std::string(info(op).name);
        b.symbol(out, SymbolKind::in_out, b[result].dtype);
        b.update(out, result);
    }
    return b.finish();
}

AnyTensor target_of(DType dtype, const AnyMasked& mask) {
    return dispatch(dtype, [&]<class T>() -> AnyTensor {
        if constexpr (sizeof(T) < 4)
            return random_tensor<bool>(mask.shape(), 8);
        else
            return wild_target<T>(mask, 8);
    });
}

template <class T>
void check(std::span<const OpId> ops, double ulps, const Storage& stored) {
    const Shape shape{1003};
    const Compared step(graph_of(ops, dtype_of<T>));
    const AnyMasked x = wild_masked<T>(shape, specified(0.6), stored, 21);
    Trial trial(step);
    trial.reads("x", x).reads("y", wild_tensor<T>(shape, 22));
    for (const Parameter& parameter : step.kernel.signature().parameters)
        if (parameter.kind == SymbolKind::in_out) trial.writes(parameter.name, target_of(parameter.dtype, x));
    INFO(name_of(dtype_of<T>) << ", " << stored.name);
    CHECK(trial.difference(ulps) == "");
}

/// Operations with one tolerance are one step: compiling takes the time of this test.
template <class T>
void check_all(const Storage& stored) {
    constexpr std::size_t most = 6;
    std::map<double, std::vector<OpId>> by_tolerance;
    for (std::size_t i = 0; i < op_table().size(); ++i)
        if (accepts(op_table()[i].accepts, dtype_of<T>))
            by_tolerance[ulps_of(op_table()[i].name, dtype_of<T>)].push_back(static_cast<OpId>(i));
    for (const auto& [ulps, all] : by_tolerance)
        for (std::size_t first = 0; first < all.size(); first += most)
            check<T>(std::span(all).subspan(first, std::min(most, all.size() - first)), ulps, stored);
}

/// out = f(in) over every float32 whose low bits are 0x123, and every special one.
std::string difference_over_floats(OpId op, double ulps) {
    GraphBuilder b("sweep");
    b.symbol("out", SymbolKind::in_out, DType::float32);
    b.update("out", b.apply(op, {b.symbol("x", SymbolKind::in, DType::float32)}));
    const Compared step(b.finish());
    const Tensor<float> x({std::int64_t{1} << 17});
    for (std::uint32_t i = 0; i < (1U << 17); ++i)
        x.data()[i] = std::bit_cast<float>((i << 15) | (i % 4 == 0 ? 0x123U : 0U));
    for (std::int64_t i = 0; i < x.size(); ++i)
        if (std::isnan(x.data()[i])) x.data()[i] = plain_nan<float>();
    return Trial(step).reads("x", x).writes("out", zeros<float>(x.shape())).difference(ulps);
}

}  // namespace

TEMPLATE_TEST_CASE("every operation of the table means in flat loops what it means in the interpreter",
                   "[spec]", float, double, bool, std::int32_t, std::int64_t) {
    check_all<TestType>(every_storage[0]);
}

TEMPLATE_TEST_CASE("every operation of the table means in loops over lists what it means in the interpreter",
                   "[spec]", float, std::int64_t) {
    check_all<TestType>(every_storage[4]);
}

TEMPLATE_TEST_CASE("divisors and powers that vary are those of the interpreter", "[spec]", std::int32_t,
                   std::int64_t) {
    const Tensor<TestType> x = wild_tensor<TestType>({1003}, 21), y = wild_tensor<TestType>({1003}, 22);
    for (const OpId op : {op_id<op::FloorDivide>, op_id<op::TruncDivide>, op_id<op::Remainder>,
                          op_id<op::Fmod>, op_id<op::Pow>}) {
        GraphBuilder b("varying");
        const NodeId a = b.symbol("x", SymbolKind::in, x.dtype(), x.shape());
        const NodeId by = b.symbol("y", SymbolKind::in, y.dtype(), y.shape());
        const NodeId results[] = {b.apply(op, {a, by})};
        const Graph graph = b.expression(results);
        Tensor<TestType> fine = y.clone();
        for (std::int64_t i = 0; i < fine.size(); ++i) {
            TestType& at = fine.data()[i];
            if (op == op_id<op::Pow> ? at < 0 : at == 0) at = 7;
        }
        const Argument arguments[] = {x, fine}, bad[] = {x, y};
        INFO(info(op).name);
        CHECK(difference(codegen::jit_evaluate(graph, arguments)[0].values,
                         evaluate(graph, arguments)[0].values) == "");
        CHECK_THROWS_AS(codegen::jit_evaluate(graph, bad), ValueError);
    }
}

TEST_CASE("exp, log and sqrt keep their bounds over all of float32, zeros, denormals and infinities",
          "[spec]") {
    CHECK(difference_over_floats(op_id<op::Exp>, ulps_of("exp", DType::float32)) == "");
    CHECK(difference_over_floats(op_id<op::Log>, ulps_of("log", DType::float32)) == "");
    CHECK(difference_over_floats(op_id<op::Sqrt>, 0) == "");
}

TEST_CASE("pow keeps its bounds for constant and for varying powers", "[spec]") {
    constexpr In<"x"> x;
    constexpr InOut<"two"> two;
    constexpr InOut<"three"> three;
    constexpr InOut<"less"> less;
    constexpr InOut<"any"> any;
    constexpr Scalar<"t", std::int64_t> t;
    const Compared step(frisket::step<"powers">(two = pow(x, 2), three = pow(x, 3.0), less = pow(x, -1),
                                                any = pow(x, t) + pow(x, 0.5)));
    const Tensor<float> values = wild_tensor<float>({5003}, 30), out = zeros<float>({5003});
    CHECK(Trial(step)
              .reads("x", values)
              .writes("two", out)
              .writes("three", out)
              .writes("less", out)
              .writes("any", out)
              .whole_number("t", -3)
              .difference(1) == "");
}

TEST_CASE("numbers that only the host computes are rounded once, to the dtype they meet", "[spec]") {
    constexpr InOut<"single"> single;
    constexpr InOut<"twofold", double> twofold;
    constexpr Masked<"grad"> grad;
    constexpr Scalar<"beta"> beta;
    constexpr Scalar<"t", std::int64_t> t;
    constexpr ScalarState<"product"> product;
    const Compared step(frisket::step<"rounded">(product *= beta, single += grad / (1 - pow(beta, t)),
                                                 twofold = on(grad, twofold * product * (1 - pow(beta, t)))));
    for (const Storage& stored : every_storage) {
        const AnyMasked gradient = wild_masked<float>({77, 13}, specified(0.4), stored, 31);
        INFO(stored.name);
        CHECK(Trial(step)
                  .state("product", 0.7)
                  .number("beta", 0.999)
                  .whole_number("t", 7)
                  .writes("single", wild_target<float>(gradient, 32))
                  .writes("twofold", wild_target<double>(gradient, 33))
                  .reads("grad", gradient)
                  .difference() == "");
    }
}

}  // namespace every_operation_means_what_the_interpreter_says_test
