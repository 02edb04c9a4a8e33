// SPDX-License-Identifier: MIT
#include "both_ways.hpp"

#include <map>

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Of functions that IEEE 754 leaves open: units in the last place between the loops and the C library.
/// Sums of both errors, the C library's being below 1.
double ulps_of(std::string_view name, DType dtype) {
    static const std::map<std::string_view, double> float32{
        {"exp", 3}, {"log", 4}, {"pow", 1}, {"sigmoid", 4}};
    static const std::map<std::string_view, double> float64{{"exp", 1}, {"log", 1}, {"pow", 1}};
    const auto& table = dtype != DType::float64 ? float32 : float64;
    const auto found = table.find(name);
    return found == table.end() ? 0 : found->second;
}

/// out = op(a, b, c), all masked by a; a condition that is needed is a > 0.
Graph graph_of(OpId op, DType dtype) {
    const OpInfo& row = info(op);
    GraphBuilder b("one_" + std::string(row.name));
    const NodeId x = b.symbol("x", SymbolKind::masked, dtype);
    const NodeId y = b.symbol("y", SymbolKind::in, dtype);
    const auto operand = [&](NodeId value) {
        const bool wants_bool = row.dtype == DTypeRule::logical;
        return wants_bool && info(dtype).is_float ? b.apply<op::Gt>({value, b.constant(0.5)}) : value;
    };
    std::vector<NodeId> operands{operand(x), operand(y)};
    if (row.dtype == DTypeRule::branches)
        operands.insert(operands.begin(), dtype == DType::boolean ? x : b.apply<op::Lt>({x, y}));
    operands.resize(static_cast<std::size_t>(row.arity));
    const NodeId result = b.apply(op, operands);
    b.symbol("out", SymbolKind::in_out, b[result].dtype);
    b.update("out", result);
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
void check(OpId op, const Storage& stored, const Shape& shape) {
    const Graph graph = graph_of(op, dtype_of<T>);
    const Compared step(graph);
    const AnyMasked x = wild_masked<T>(shape, specified(0.6), stored, 21);
    Trial trial(step);
    trial.reads("x", x).reads("y", wild_tensor<T>(shape, 22));
    trial.writes("out", target_of(step.kernel.signature().parameters.back().dtype, x));
    INFO(info(op).name << " of " << name_of(dtype_of<T>) << ", " << stored.name << ", shape "
                       << to_string(shape));
    CHECK(trial.difference(ulps_of(info(op).name, dtype_of<T>)) == "");
}

template <class T>
void check_all(const Storage& stored, const Shape& shape) {
    for (std::size_t i = 0; i < op_table().size(); ++i)
        if (accepts(op_table()[i].accepts, dtype_of<T>)) check<T>(static_cast<OpId>(i), stored, shape);
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

TEST_CASE("every operation of the table means in flat loops what it means in the interpreter", "[spec]") {
    const Storage& dense = every_storage[0];
    check_all<float>(dense, {1003});
    check_all<double>(dense, {1003});
    check_all<bool>(dense, {1003});
    check_all<std::int32_t>(dense, {1003});
    check_all<std::int64_t>(dense, {1003});
}

TEST_CASE("every operation of the table means in loops over lists what it means in the interpreter",
          "[spec]") {
    const Storage& coo = every_storage[4];
    check_all<float>(coo, {1003});
    check_all<std::int64_t>(coo, {1003});
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
