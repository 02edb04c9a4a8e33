// SPDX-License-Identifier: MIT
#include "../../codegen/jit/evaluate.hpp"
#include "operation_steps.hpp"

#include <catch2/catch_template_test_macros.hpp>

namespace every_operation_means_what_the_interpreter_says_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

template <class T>
void check_all(const Storage& stored) {
    const auto accepted = [](const OpInfo& row) { return accepts(row.accepts, dtype_of<T>); };
    for (const auto& [ulps, ops] : operation_groups(dtype_of<T>, accepted))
        check<T>(ops, ulps, stored, Compared(graph_of(ops, dtype_of<T>)));
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
                   "[spec]", float, double, std::int32_t) {
    check_all<TestType>(every_storage[0]);
}

TEMPLATE_TEST_CASE("every operation of bool and int64 means in flat loops what it means in the interpreter",
                   "[spec][deep]", bool, std::int64_t) {
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
        INFO(info_of(op).name);
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
