// SPDX-License-Identifier: MIT
#include "both_ways.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <cmath>
#include <limits>

namespace special_functions_are_exact_at_their_edges_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

struct Known {
    const char* name;
    double x, exact;
};

/// Next to roots and poles, where formulas change, and where they might overflow.
/// Source: mpmath, 60 digits.
constexpr Known hard[] = {
    {"sigmoid", -745.0, 5e-324},
    {"sigmoid", -720.5, 1.2326102893e-313},
    {"sigmoid", -709.9, 4.947061357598873e-309},
    {"sigmoid", -40.25, 3.3086216207858244e-18},
    {"sigmoid", -0.001, 0.4997500000208333},
    {"sigmoid", 0.001, 0.5002499999791666},
    {"sigmoid", 40.0, 1.0},
    {"logit", 0.499998865, -4.539999999949611e-06},
    {"logit", 0.5000000000000001, 4.440892098500626e-16},
    {"logit", 0.49999999999999994, -2.220446049250313e-16},
    {"logit", 0.25, -1.0986122886681098},
    {"logit", 0.75, 1.0986122886681098},
    {"logit", 1e-310, -713.8013788281542},
    {"sinc", 1.0, 0.0},
    {"sinc", 3.0, 0.0},
    {"sinc", 2675576.0, 0.0},
    {"sinc", 1000001.5, -3.183094087196776e-07},
    {"sinc", -4.0, 0.0},
    {"sinc", 2.9999999999999996, 1.4802973661668756e-16},
    {"sinc", 1.0000000000000002, -2.2204460492503126e-16},
    {"sinc", 1e+300, 0.0},
    {"sinc", 1.7e+308, 0.0},
    {"sinc", -1.7e+308, 0.0},
    {"digamma", 1.461632, -1.4028186996973047e-07},
    {"digamma", 1.4616321449683622, -9.241265521729427e-17},
    {"digamma", 1.4616321449683625, 1.2245374622004068e-16},
    {"digamma", 0.8, -0.9650085667061383},
    {"digamma", 1.0, -0.5772156649015329},
    {"digamma", 2.0000003, 0.422784528578669},
    {"digamma", 3.5, 1.103156640645243},
    {"digamma", -0.9999999999999999, -9007199254740992.0},
    {"digamma", -99.99999999999999, -70368744177659.39},
    {"trigamma", -40.9999847, 4271861252.5637183},
    {"trigamma", -99.99999999999999, 4.951760157141521e+27},
    {"trigamma", -0.9999999999999999, 8.112963841460668e+31},
    {"trigamma", 0.4, 7.275356590529597},
    {"trigamma", 8.5, 0.12483811891892602},
    {"trigamma", 1e-154, 1e+308},
    {"i0", 16.000001, 893447.0929799614},
    {"i0", 7.9, 389.406283282158},
    {"i0", 14.75, 266791.9914498653},
    {"i0", 30.0, 781672297823.9775},
    {"i0", 713.9, 1.6481551866951379e+308},
    {"i0", -20.5, 70922869.83431701},
    {"i0", 3.6e307, infinity},
    {"i1", 16.000001, 865060.2752352615},
    {"i1", 7.9, 363.8539440845084},
    {"i1", 14.75, 257583.2274339497},
    {"i1", 30.0, 768532038938.957},
    {"i1", 713.9, 1.6470004499232343e+308},
    {"i1", -20.5, -69170831.67918438},
    {"i1", 3.6e307, infinity},
    {"lgamma", 1.0000001, -5.772155829918507e-08},
    {"lgamma", 0.9999999, 5.772157468444193e-08},
    {"lgamma", 2.0000001, 4.227843666532498e-08},
    {"lgamma", 1.9999999, -4.2278430309861296e-08},
    {"lgamma", 1.0000000000000002, -1.2816762426960008e-16},
    {"lgamma", 1.9999999999999998, -9.387698065543117e-17},
};

/// Values at the ends of their domains of functions that the C library lacks; -0 is not 0.
constexpr Known at_ends[] = {
    {"sigmoid", -infinity, 0},
    {"sigmoid", infinity, 1},
    {"sigmoid", -0.0, 0.5},
    {"sigmoid", nan_value, nan_value},
    {"logit", 0, -infinity},
    {"logit", -0.0, -infinity},
    {"logit", 0.5, 0},
    {"logit", 1, infinity},
    {"logit", -0.25, nan_value},
    {"logit", 1.25, nan_value},
    {"logit", infinity, nan_value},
    {"logit", -infinity, nan_value},
    {"logit", nan_value, nan_value},
    {"sinc", 0, 1},
    {"sinc", -0.0, 1},
    {"sinc", 5e-324, 1},
    {"sinc", infinity, nan_value},
    {"sinc", -infinity, nan_value},
    {"sinc", nan_value, nan_value},
    {"digamma", 0, -infinity},
    {"digamma", -0.0, infinity},
    {"digamma", 5e-324, -infinity},
    {"digamma", -5e-324, infinity},
    {"digamma", -3, nan_value},
    {"digamma", infinity, infinity},
    {"digamma", -infinity, nan_value},
    {"digamma", nan_value, nan_value},
    {"trigamma", 0, infinity},
    {"trigamma", -0.0, infinity},
    {"trigamma", -5e-324, infinity},
    {"trigamma", -3, infinity},
    {"trigamma", infinity, 0},
    {"trigamma", -infinity, nan_value},
    {"trigamma", nan_value, nan_value},
    {"erfinv", 0, 0},
    {"erfinv", -0.0, -0.0},
    {"erfinv", 5e-324, 5e-324},
    {"erfinv", 1, infinity},
    {"erfinv", -1, -infinity},
    {"erfinv", 1.5, nan_value},
    {"erfinv", infinity, nan_value},
    {"erfinv", nan_value, nan_value},
    {"i0", 0, 1},
    {"i0", -0.0, 1},
    {"i0", infinity, infinity},
    {"i0", -infinity, infinity},
    {"i0", nan_value, nan_value},
    {"i1", 0, 0},
    {"i1", -0.0, -0.0},
    {"i1", 1e-300, 5e-301},
    {"i1", infinity, infinity},
    {"i1", -infinity, -infinity},
    {"i1", nan_value, nan_value},
};

/// Fault of loops or the interpreter in one row; empty: none.
template <class T>
std::string fault(const Known& known, double ulps) {
    GraphBuilder b("function");
    b.symbol("out", SymbolKind::in_out, dtype_of<T>);
    b.update("out", b.apply(find_op(known.name), {b.symbol("x", SymbolKind::in, dtype_of<T>)}));
    const Compared step(b.finish());
    const Tensor<T> x = full<T>({1}, static_cast<T>(known.x)), out = zeros<T>({1}), wanted = out.clone();
    const NamedArgument arguments[] = {{"out", out}, {"x", x}};
    wanted.data()[0] = static_cast<T>(known.exact);
    interpret(step.graph, arguments);
    std::string text = frisket::testing::detail::disagreement(out, wanted, {}, ulps);
    out.data()[0] = 0;
    step.kernel(std::span<const NamedArgument>(arguments));
    text += frisket::testing::detail::disagreement(out, wanted, {}, ulps);
    return text;
}

}  // namespace

TEST_CASE("special functions are good to 6 units next to roots, poles and the ends of their range",
          "[spec]") {
    for (const Known& known : hard) {
        CAPTURE(known.name, known.x);
        CHECK(fault<double>(known, 6) == "");
    }
}

TEMPLATE_TEST_CASE("special functions give the limit where they have one, and NaN outside", "[spec]", float,
                   double) {
    for (const Known& known : at_ends) {
        if (static_cast<TestType>(known.x) == 0 && known.x != 0) continue;  // a denormal of float64
        CAPTURE(known.name, known.x);
        CHECK(fault<TestType>(known, 0) == "");
    }
}

}  // namespace special_functions_are_exact_at_their_edges_test
