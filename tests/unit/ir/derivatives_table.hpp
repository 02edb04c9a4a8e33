// SPDX-License-Identifier: MIT
#pragma once
#include "../../../ir/passes/gradient/gradient.hpp"
#include "gradient_helpers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Derivatives in 50 digits, from derivatives.tsv, and their comparison with gradients of gradients.
namespace frisket::testing {

/// A derivative of an operation at one point.
struct Derivative {
    std::string op, dtype, variables;  ///< variables: operand numbers, in the order of differentiation
    double x = 0, y = 0, value = 0, condition = 0;

    std::string group() const { return op + " " + dtype + " " + variables; }
};

inline std::vector<Derivative> known_derivatives(const std::string& path) {
    std::ifstream file(path);
    std::vector<Derivative> all;
    for (std::string line; std::getline(file, line);) {
        std::istringstream text(line);
        Derivative one;
        std::string numbers[4];
        text >> one.op >> one.dtype >> one.variables >> numbers[0] >> numbers[1] >> numbers[2] >> numbers[3];
        one.x = std::strtod(numbers[0].c_str(), nullptr);
        one.y = std::strtod(numbers[1].c_str(), nullptr);
        one.value = std::strtod(numbers[2].c_str(), nullptr);
        one.condition = std::strtod(numbers[3].c_str(), nullptr);
        all.push_back(one);
    }
    return all;
}

/// Units in the last digit, times 1 + condition, up to which a derivative may be off; 4 unless listed.
inline double ulps_of_derivative(const Derivative& one) {
    static const std::map<std::string, double> exceptions{
        {"atan float64 000", 8},  // next to an extreme, where the condition number is 0
    };
    const auto found = exceptions.find(one.group());
    return found == exceptions.end() ? 4 : found->second;
}

/// Exceptions from the second order on, where parts leave the range before the derivative does: powers whose
/// base is below 1e-19, and whose exponent is that near 0 or above 1e29, or which are next to the smallest
/// normal number (9 of 32 are off); angles, lengths and logit, whose parts have opposite signs, where the
/// derivative is infinite.
inline bool is_beyond_range(const Derivative& one) {
    if (one.variables.size() < 2) return false;
    if (one.op == "pow") {
        const bool is_tiny = one.dtype == "float32" && one.value != 0 && std::abs(one.value) < 4e-38;
        return one.x < 1e-19 && (std::abs(one.y) < 1e-19 || one.y > 1e29 || is_tiny);
    }
    const bool is_sum = one.op == "atan2" || one.op == "hypot" || one.op == "direction" || one.op == "logit";
    return is_sum && std::abs(one.value) > (one.dtype == "float32" ? 3.4e38 : 1.7e308);
}

/// Distance in units of the last place of `wanted`; infinite numbers are next to the largest.
template <class T>
double ulps_between(double found, double wanted) {
    const T rounded = static_cast<T>(wanted);
    if (std::isnan(found)) return std::numeric_limits<double>::infinity();
    if (static_cast<double>(rounded) == found) return 0;
    const T largest = std::numeric_limits<T>::max();
    const double a = std::isinf(found) ? std::copysign(static_cast<double>(largest), found) : found;
    const T size = std::min(std::abs(rounded), largest);
    const T unit = std::max(std::nextafter(size, largest) - size, std::numeric_limits<T>::denorm_min());
    const double b = std::isinf(rounded) ? std::copysign(static_cast<double>(largest), wanted) : wanted;
    return std::abs(a - b) / static_cast<double>(size == largest ? size - std::nextafter(size, T{0}) : unit);
}

/// Derivatives of one group as gradients of gradients; the results are specified everywhere, or the text
/// tells where not.
template <class T>
std::string difference_of_group(std::span<const Derivative> group,
                                const ir::ExpressionContext::Evaluate& evaluate) {
    const auto count = static_cast<std::int64_t>(group.size());
    Tensor<T> x({count}), y({count});
    for (std::int64_t i = 0; i < count; ++i) {
        x.data()[i] = static_cast<T>(group[static_cast<std::size_t>(i)].x);
        y.data()[i] = static_cast<T>(group[static_cast<std::size_t>(i)].y);
    }
    ir::ExpressionContext session("derivatives", evaluate);
    const std::vector<ir::Value> operands{session.tensor(x), session.tensor(y)};
    const OpId op = find_op(group[0].op);
    ir::Value made =
        info_of(op).arity == 1 ? ir::apply(op, {operands[0]}) : ir::apply(op, {operands[0], operands[1]});
    for (const char variable : group[0].variables) {
        const std::vector<ir::Value> by{operands[static_cast<std::size_t>(variable - '0')]};
        if (!ir::reads(made, by[0])) {  // the derivative of a constant
            made = ir::apply<op::Mul>({by[0], session.number(0.0)});
            continue;
        }
        made = ir::to_dense(ir::gradient(made, by)[0], session.number(std::nan("")));
    }
    const AnyTensor found = session.run(made).values;
    std::string faults;
    for (std::int64_t i = 0; i < count; ++i) {
        const Derivative& one = group[static_cast<std::size_t>(i)];
        const auto got = static_cast<double>(static_cast<const T*>(found.data())[i]);
        const double off = ulps_between<T>(got, one.value),
                     most = ulps_of_derivative(one) * (1 + one.condition);
        if (off <= most || is_beyond_range(one)) continue;
        char text[256];
        std::snprintf(text, sizeof text, "\n%s at %.9g, %.9g: %.17g, wanted %.17g, off by %.3g of %.3g",
                      one.group().c_str(), one.x, one.y, got, one.value, off, most);
        faults += text;
    }
    return faults;
}

/// Differences of every `step`-th group of the table, of one dtype or of both.
inline std::string difference_of_derivatives(std::span<const Derivative> all, std::size_t first,
                                             std::size_t step,
                                             const ir::ExpressionContext::Evaluate& evaluate) {
    std::string faults;
    std::size_t number = 0;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end, ++number) {
        while (end < all.size() && all[end].group() == all[begin].group()) ++end;
        if (number % step != first) continue;
        const auto group = all.subspan(begin, end - begin);
        faults += group[0].dtype == "float32" ? difference_of_group<float>(group, evaluate)
                                              : difference_of_group<double>(group, evaluate);
    }
    return faults;
}

}  // namespace frisket::testing
