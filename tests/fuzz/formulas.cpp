// SPDX-License-Identifier: MIT
#include "formulas.hpp"

#include "../../ir/at.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace fuzz {

using ir::at;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The specified elements that one element of a reduction is computed from.
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
        // A root has the error of an operand that may be nearly 0.
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

/// The truth of a comparison; nothing for other operations.
std::optional<bool> compared_whole(OpId op, std::int64_t x, std::int64_t y) {
    if (op == op_id<op::Eq>) return x == y;
    if (op == op_id<op::Ne>) return x != y;
    if (op == op_id<op::Lt>) return x < y;
    if (op == op_id<op::Le>) return x <= y;
    if (op == op_id<op::Gt>) return x > y;
    if (op == op_id<op::Ge>) return x >= y;
    return {};
}

/// The 64 bits of a sum, difference, product or extreme; nothing for other operations.
std::optional<std::int64_t> computed_whole(OpId op, std::int64_t x, std::int64_t y) {
    const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    if (op == op_id<op::Add>) return static_cast<std::int64_t>(a + b);
    if (op == op_id<op::Sub>) return static_cast<std::int64_t>(a - b);
    if (op == op_id<op::Mul>) return static_cast<std::int64_t>(a * b);
    if (op == op_id<op::Maximum>) return std::max(x, y);
    if (op == op_id<op::Minimum>) return std::min(x, y);
    return {};
}

bool is_whole_form(const Instruction& one) {
    const std::string_view name = forms()[at(one.form)].name;
    return (name == "with whole" || name == "whole with") &&
           (compared_whole(one.op, 0, 0) || computed_whole(one.op, 0, 0));
}

template <class T>
std::string whole_fault_of(const Instruction& one, const Result& operand, const Result& result) {
    const Tensor<T> x(operand.values.clone());
    const Tensor<bool> mask = result.mask ? Tensor<bool>(result.mask->clone()) : full<bool>(x.shape(), true);
    const std::string text = std::string(info_of(one.op).name) + " of " +
                             std::string(name_of(operand.values.dtype())) + " and " + std::to_string(one.a);
    if (!compared_whole(one.op, 0, 0) && !std::in_range<T>(one.a)) return text + " is not refused";
    const bool is_first = forms()[at(one.form)].name == "with whole";
    const AnyTensor found = result.values.clone();
    for (std::int64_t i = 0; i < x.size(); ++i) {
        if (!mask.data()[i]) continue;
        const std::int64_t left = is_first ? x.data()[i] : one.a, right = is_first ? one.a : x.data()[i];
        const auto is_true = compared_whole(one.op, left, right);
        const bool is_right =
            is_true ? Tensor<bool>(found).data()[i] == *is_true
                    : Tensor<T>(found).data()[i] == static_cast<T>(*computed_whole(one.op, left, right));
        if (!is_right) return text + " is wrong of " + std::to_string(x.data()[i]);
    }
    return "";
}

std::string whole_fault(const Instruction& one, const Result& operand, const Result& result) {
    switch (operand.values.dtype()) {
        case DType::uint8: return whole_fault_of<std::uint8_t>(one, operand, result);
        case DType::int32: return whole_fault_of<std::int32_t>(one, operand, result);
        case DType::int64: return whole_fault_of<std::int64_t>(one, operand, result);
        default: return "";
    }
}

/// The fault of a program of one instruction that is refused, though its dtype holds the number or need not.
std::string refusal_fault(const Program& program, const Instruction& one) {
    if (program.instructions.size() > 1 || one.operands[0] >= 0) return "";
    const bool fits = dispatch(program.inputs[at(-1 - one.operands[0])].values.dtype(), [&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return std::in_range<T>(one.a);
        return true;
    });
    if (!fits && !compared_whole(one.op, 0, 0)) return "";
    return std::string(info_of(one.op).name) + " with " + std::to_string(one.a) + " is refused";
}

/// Extremes of no elements, which no number represents.
std::string empty_fault(const Instruction& one, const Result& operand, const Result& result) {
    if (operand.mask || operand.values.size() > 0 || result.values.size() == 0) return "";
    return std::string(forms()[at(one.form)].name) + " of no elements is not refused";
}

bool is_extreme(const Instruction& one) {
    const std::string_view name = forms()[at(one.form)].name;
    return name == "amin" || name == "amax" || name == "argmin" || name == "argmax" || name == "median";
}

bool is_finite(const Result& x) {
    if (!info_of(x.values.dtype()).is_float) return true;
    const Tensor<double> values(x.values.to(DType::float64).clone());
    const Tensor<bool> mask = x.mask ? Tensor<bool>(x.mask->clone()) : full<bool>(values.shape(), true);
    for (std::int64_t i = 0; i < values.size(); ++i)
        if (mask.data()[i] && !std::isfinite(values.data()[i])) return false;
    return true;
}

bool same_bytes(const AnyTensor& a, const AnyTensor& b) {
    const AnyTensor left = a.clone(), right = b.clone();
    return std::memcmp(left.data(), right.data(), at(left.size() * bytes_of(left.dtype()))) == 0;
}

}  // namespace

std::string skip_fault(const Program& program, const Outcome& outcome) {
    if (program.skips.empty() || outcome.error) return "";
    Program skips = program;
    skips.results = std::exchange(skips.skips, {});
    skips.targets.clear();
    const Outcome values = run(skips, plain, interpreter());
    if (values.error) return "";
    if (std::ranges::all_of(values.results, &is_finite)) {
        Program never = program;
        never.skips.clear();
        return compared(never, outcome, run(never, plain, interpreter())).fault;
    }
    for (std::size_t r = 0; r < outcome.results.size(); ++r)
        if (!same_bytes(outcome.results[r].values, outcome.before[r]))
            return "target " + std::to_string(r) + " is written, though a value that skips is not finite";
    return "";
}

std::string formula_fault(const Program& program) {
    if (program.is_step()) return "";
    for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
        const Instruction& one = program.instructions[at(i)];
        const bool is_whole = is_whole_form(one), may_be_empty = is_extreme(one);
        if (!defined(one, {1.0, 2.0}) && !is_whole && !may_be_empty) continue;
        Program both = program;
        both.results = {one.operands[0], i};
        const Outcome outcome = run(both, plain, interpreter());
        if (outcome.error && is_whole) {
            const std::string fault = refusal_fault(program, one);
            if (!fault.empty()) return fault;
        }
        if (outcome.error) continue;
        const auto fault_in = is_whole ? &whole_fault : may_be_empty ? &empty_fault : &fault_of;
        std::string fault = fault_in(one, outcome.results[0], outcome.results[1]);
        if (!fault.empty()) return fault;
    }
    return "";
}

}  // namespace fuzz
