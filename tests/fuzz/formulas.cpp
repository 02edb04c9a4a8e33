// SPDX-License-Identifier: MIT
#include "formulas.hpp"

#include "../../ir/at.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuzz {

using ir::at;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The specified elements that one element of a reduction is made of.
using Slice = std::vector<double>;

double sum_of(const Slice& x, const auto& term) {
    double sum = 0;
    for (const double element : x) sum += term(element);
    return sum;
}

double mean_of(const Slice& x) {
    return sum_of(x, [](double element) { return element; }) / static_cast<double>(x.size());
}

double variance_of(const Slice& x, double correction) {
    const double mean = mean_of(x);
    const double squares = sum_of(x, [&](double element) { return (element - mean) * (element - mean); });
    return squares / std::max(static_cast<double>(x.size()) - correction, 0.0);
}

double logsumexp_of(const Slice& x) {
    double top = -infinity;
    for (const double element : x) {
        if (std::isnan(element)) return element;
        top = std::max(top, element);
    }
    if (std::isinf(top)) return top;
    return top + std::log(sum_of(x, [&](double element) { return std::exp(element - top); }));
}

/// Norm of finite order.
double norm_of(const Slice& x, double order) {
    if (order == 0) return sum_of(x, [](double element) { return element != 0 ? 1.0 : 0.0; });
    return std::pow(sum_of(x, [&](double element) { return std::pow(std::abs(element), order); }), 1 / order);
}

/// Result of a reduction of this kind over a slice; nothing for other instructions.
std::optional<double> defined(const Instruction& one, const Slice& x) {
    const std::string_view name = forms()[at(one.form)].name;
    if (name == "mean") return mean_of(x);
    if (name == "var") return variance_of(x, 1);
    if (name == "std") return std::sqrt(variance_of(x, 0));
    if (name == "logsumexp") return logsumexp_of(x);
    if (name == "norm" && std::isfinite(one.number)) return norm_of(x, one.number);
    return {};
}

/// Numbers of which no float overflows, underflows or loses much on the way.
bool are_moderate(const Slice& x) {
    return std::ranges::all_of(x, [](double element) {
        const double size = std::abs(element);
        return !std::isfinite(element) || element == 0 || (size > 1e-4 && size < 1e4);
    });
}

/// The slices of a tensor that has been reduced, in the order of the result's elements.
std::vector<Slice> slices_of(const Result& x, const Dims& dims, std::int64_t results) {
    const Tensor<double> values(x.values.to(DType::float64).clone());
    const Tensor<bool> mask = x.mask ? Tensor<bool>(x.mask->clone()) : full<bool>(values.shape(), true);
    const Shape& shape = values.shape();
    std::vector<Slice> slices(at(results));
    for (std::int64_t i = 0; i < values.size(); ++i) {
        if (!mask.data()[i]) continue;
        std::int64_t rest = i, step = 1, slice = 0;
        for (int d = static_cast<int>(shape.size()); d-- > 0;) {
            const std::int64_t index = rest % shape[at(d)];
            rest /= shape[at(d)];
            if (!dims || std::ranges::find(*dims, d) != dims->end()) continue;
            slice += index * step;
            step *= shape[at(d)];
        }
        slices[at(slice)].push_back(values.data()[i]);
    }
    return slices;
}

std::string fault_of(const Instruction& one, const Result& operand, const Result& result) {
    const Tensor<double> found(result.values.to(DType::float64).clone());
    const Tensor<bool> mask =
        result.mask ? Tensor<bool>(result.mask->clone()) : full<bool>(found.shape(), true);
    const std::vector<Slice> slices = slices_of(operand, one.dims, found.size());
    for (std::int64_t i = 0; i < found.size(); ++i) {
        const Slice& slice = slices[at(i)];
        const auto wanted = defined(one, slice);
        if (!mask.data()[i] || !wanted || !are_moderate(slice)) continue;
        const double largest = sum_of(slice, [](double x) { return std::isfinite(x) ? std::abs(x) : 0; });
        const double off = std::abs(found.data()[i] - *wanted);
        // A root has the error of what may be nearly 0 below it.
        const bool is_close =
            found.data()[i] == *wanted || (std::isnan(found.data()[i]) && std::isnan(*wanted)) ||
            off <= 1e-2 * (std::abs(*wanted) + std::min(largest, 1.0)) || off <= 1e-3 * largest;
        if (!is_close)
            return "element " + std::to_string(i) + " of " + std::string(forms()[at(one.form)].name) +
                   " of " + std::to_string(slice.size()) + " elements is " + std::to_string(found.data()[i]) +
                   ", its definition says " + std::to_string(*wanted);
    }
    return "";
}

}  // namespace

std::string formula_fault(const Program& program) {
    if (program.is_step()) return "";
    for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
        const Instruction& one = program.instructions[at(i)];
        if (!defined(one, {1.0, 2.0})) continue;
        Program both = program;
        both.results = {one.operands[0], i};
        const Outcome outcome = run(both, {.poison = Poison::zero, .as = Storing::As::plain}, interpreter());
        if (outcome.error) continue;
        std::string fault = fault_of(one, outcome.results[0], outcome.results[1]);
        if (!fault.empty()) return fault;
    }
    return "";
}

}  // namespace fuzz
