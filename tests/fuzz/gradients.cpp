// SPDX-License-Identifier: MIT
#include "gradients.hpp"

#include "../../ir/at.hpp"
#include "../../ir/passes/gradient/gradient.hpp"
#include "generator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace fuzz {

using ir::at;

namespace {

/// A number in [-1, 1) for each element of each tensor, not 0.
double weight(std::uint32_t seed, std::size_t tensor, std::int64_t element) {
    std::uint64_t x = (std::uint64_t{seed} << 32U) + (tensor << 24U) + static_cast<std::uint64_t>(element);
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<double>(static_cast<std::int64_t>(x ^ (x >> 31U)) | 1) * 0x1p-63;
}

bool is_variable(const Program& program, std::size_t input) {
    return program.inputs[input].values.dtype() == DType::float64;
}

/// The tensors of weight() that are no inputs: for the first derivative, the result and the point.
constexpr std::size_t upstream_weights = 100, result_weights = 101, place_weights = 200;

/// The inputs moved along the direction that weight() returns for the tensors from `first` on.
Program moved(const Program& program, double step, std::size_t first) {
    Program made = program;
    for (std::size_t i = 0; i < made.inputs.size(); ++i) {
        if (!is_variable(program, i)) continue;
        Tensor<double> values(program.inputs[i].values.clone());
        for (std::int64_t e = 0; e < values.size(); ++e)
            values.data()[e] += step * weight(program.seed, first + i, e);
        made.inputs[i].values = values;
    }
    return made;
}

/// A point nearby where no element is a round number.
Program generic(const Program& program) { return moved(program, 0x1p-6, place_weights); }

/// True if the derivative has a derivative: the derivative of digamma has none, the derivatives of cumprod
/// and sinc are other functions at 0.
bool has_second_derivative(const Program& program) {
    return std::ranges::none_of(program.instructions, [](const Instruction& one) {
        return forms()[at(one.form)].name == "cumprod" || one.op == op_id<op::Sinc> ||
               one.op == op_id<op::Digamma>;
    });
}

/// Operations with a kink, where a gradient is one of several: round numbers are on it, and kinks of several
/// operations together yield a value that is no slope of the function, as clamp(minimum(x, 0), 0, 2).
bool has_kink(const Instruction& one) {
    static constexpr std::string_view kinked[] = {"amin", "amax",      "median", "norm",
                                                  "std",  "normalize", "clamp",  "clamp to"};
    static constexpr OpId ops[] = {op_id<op::Abs>,  op_id<op::Relu>, op_id<op::Minimum>, op_id<op::Maximum>,
                                   op_id<op::Fmin>, op_id<op::Fmax>, op_id<op::Hypot>};
    return std::ranges::find(kinked, forms()[at(one.form)].name) != std::end(kinked) ||
           std::ranges::find(ops, one.op) != std::end(ops);
}

/// The operation that is constant between the jumps of a node's operation; none if it does not jump.
std::optional<OpId> steps_of(const Node& node) {
    if (node.kind != NodeKind::op || !info_of(node.dtype).is_float) return {};
    if (info_of(node.op).gradient == Gradient::zero) return node.op;
    if (node.op == op_id<op::Frac>) return op_id<op::Trunc>;
    if (node.op == op_id<op::Fmod>) return op_id<op::TruncDivide>;
    if (node.op == op_id<op::Remainder>) return op_id<op::FloorDivide>;
    return {};
}

/// A program's first result, or a gradient of it, with the gradients of that.
class Function {
public:
    /// True if a program's function is its derivative.
    static bool is_derivative(const Program& program) {
        return program.seed % 3 == 0 && has_second_derivative(program);
    }

    explicit Function(const Program& program)
        : program_(program), tensors_(store(program, {})), building_(program, tensors_, {}) {
        building_.add_all();
        for (std::size_t i = 0; i < program.inputs.size(); ++i) {
            if (!is_variable(program, i)) continue;
            inputs_.push_back(building_[-1 - static_cast<int>(i)]);
            numbers_.push_back(i);
        }
        result_ = building_[program.results[0]];
        if (is_derivative(program))
            result_ = ir::gradient(*result_, {inputs_.data(), 1}, upstream(upstream_weights),
                                   ir::Unused::allowed)[0];
    }

    /// The value, and after it the facts that must be the same at two points if no operation jumps between
    /// them.
    std::vector<Result> value_and_steps() {
        std::vector<Value> results{*result_};
        GraphBuilder& graph = building_.session().graph();
        for (std::size_t i = 0, count = graph.graph().nodes.size(); i < count; ++i) {
            const Node node = graph.graph().nodes[i];
            const std::optional<OpId> steps = steps_of(node);
            if (!steps) continue;
            const auto operand = [&](std::size_t k) { return Value{&graph, node.operands[k]}; };
            const Value value = node.operands.size() == 1
                                    ? ir::apply(*steps, {operand(0)})
                                    : ir::apply(*steps, {operand(0), operand(1)}, MaskMode::intersection);
            results.push_back(ir::to_dense(value, building_.session().number(0.0)));
        }
        return building_.session().run(results);
    }
    Result value() { return building_.session().run(*result_); }
    /// Gradients of value(), weighted, for each input that is a variable.
    std::vector<Result> gradients() {
        return building_.session().run(
            ir::gradient(*result_, inputs_, upstream(result_weights), ir::Unused::allowed));
    }
    const std::vector<std::size_t>& variables() const { return numbers_; }

    /// True if a bool or an integer is computed from floating-point values. Differences do not see the
    /// selection of x == 0, at the single point where it holds; a NaN compares as if it were any other
    /// number.
    bool makes_conditions() {
        const Graph& graph = building_.session().graph().graph();
        const auto is_float = [&](NodeId id) { return id != no_node && info_of(graph[id].dtype).is_float; };
        return std::ranges::any_of(graph.nodes, [&](const Node& node) {
            return !info_of(node.dtype).is_float && std::ranges::any_of(node.operands, is_float);
        });
    }

private:
    Value upstream(std::size_t tensor) {
        Tensor<double> weights(Shape(result_->shape()));
        for (std::int64_t e = 0; e < weights.size(); ++e)
            weights.data()[e] = weight(program_.seed, tensor, e);
        return building_.session().tensor(weights);
    }

    const Program& program_;
    std::deque<Bound> tensors_;
    Building building_;
    std::vector<Value> inputs_;
    std::vector<std::size_t> numbers_;
    std::optional<Value> result_;
};

/// A sum, and the sum of the magnitudes of its terms.
struct Sum {
    double value = 0, magnitude = 0;
    void add(double term) {
        value += term;
        magnitude += std::abs(term);
    }
};

/// The mask of a result: true everywhere of one that is dense.
Tensor<bool> mask_of_result(const Result& result) {
    return result.mask ? Tensor<bool>(result.mask->clone()) : full<bool>(result.values.shape(), true);
}

void add_weighted(const Result& result, std::uint32_t seed, std::size_t tensor, Sum& sum) {
    const Tensor<double> values(result.values.clone());
    const Tensor<bool> mask = mask_of_result(result);
    for (std::int64_t e = 0; e < values.size(); ++e)
        if (mask.data()[e]) sum.add(values.data()[e] * weight(seed, tensor, e));
}

/// The weighted sum of a function's result, and the facts that are the same wherever differences tell its
/// slope: which of its elements are specified, and between which of their jumps operations are.
struct Value {
    Sum sum;
    std::vector<AnyTensor> steps;

    bool has_steps_of(const Value& other) const {
        return std::ranges::equal(
            steps, other.steps, [](const AnyTensor& a, const AnyTensor& b) { return allclose(a, b, 0, 0); });
    }
};

Value value_of(const Program& program) {
    const std::vector<Result> results = Function(program).value_and_steps();
    Value value{.sum = {}, .steps = {mask_of_result(results[0])}};
    add_weighted(results[0], program.seed, result_weights, value.sum);
    for (const Result& steps : std::span(results).subspan(1)) value.steps.push_back(steps.values);
    return value;
}

/// The slope along the direction, by gradients and by differences.
struct Slopes {
    Sum analytical;
    double numerical = 0;
    /// Bound on the error of differences: their own steps differ, or the function has a kink here.
    double doubt = 0;

    bool is_certain() const {
        return std::isfinite(numerical) && std::isfinite(doubt) && doubt <= 0.1 * std::abs(numerical) + 1e-6;
    }
    /// A sentence if the slopes differ by more than the doubt.
    std::string fault() const {
        if (std::abs(analytical.value - numerical) <= doubt) return "";
        std::ostringstream text;
        text.precision(12);
        text << "gradients say that the result changes by " << analytical.value << ", differences by "
             << numerical << " +- " << doubt;
        return text.str();
    }
};

Slopes slopes_of(const Program& program, std::span<const Result> gradients,
                 const std::vector<std::size_t>& variables) {
    // The last step is no simple fraction of the first: a function that repeats itself at equal distances
    // would give a mean slope on which a whole and half a step agree.
    constexpr double step = 0x1p-10, steps[] = {step, step / 2, 0.213 * step};
    Slopes slopes;
    for (std::size_t i = 0; i < variables.size(); ++i)
        add_weighted(gradients[i], program.seed, variables[i], slopes.analytical);
    const Value here = value_of(program);
    bool has_jumps = false;
    double central[3], one_sided[3];
    for (const int i : {0, 1, 2}) {
        const double by = steps[i];
        const Value above = value_of(moved(program, by, 0)), below = value_of(moved(program, -by, 0));
        has_jumps = has_jumps || !above.has_steps_of(here) || !below.has_steps_of(here);
        central[i] = (above.sum.value - below.sum.value) / (2 * by);
        one_sided[i] = (above.sum.value - 2 * here.sum.value + below.sum.value) / by;
    }
    slopes.numerical = (4 * central[1] - central[0]) / 3;
    const double kink = std::abs(2 * one_sided[1] - one_sided[0]);
    const double apart = std::abs(central[1] - central[0]) + std::abs(central[2] - slopes.numerical);
    slopes.doubt =
        4 * (apart + kink) + 1e-9 + 1e-11 * here.sum.magnitude + 1e-8 * slopes.analytical.magnitude;
    if (has_jumps) slopes.doubt = std::numeric_limits<double>::infinity();
    return slopes;
}

/// Operations of which a number may be the result although an operand is NaN.
bool hides_nan(const Instruction& one) {
    const std::string_view form = forms()[at(one.form)].name;
    if (form == "nan_to_num" || form == "norm" || form == "normalize" || form == "mask_of") return true;
    static constexpr OpId numbers[] = {op_id<op::Pow>, op_id<op::Fmin>, op_id<op::Fmax>, op_id<op::Hypot>,
                                       op_id<op::Sign>};
    return std::ranges::find(numbers, one.op) != std::end(numbers);
}

/// True for operations whose derivative is 0.
bool is_of_steps(const Instruction& one) { return info_of(one.op).gradient == Gradient::zero; }

/// An element of a gradient that is 0, though the result does not depend on it; empty: none of some.
std::string needless_gradient(const Program& program, std::span<const Result> gradients,
                              const std::vector<std::size_t>& variables) {
    const Result before = Function(program).value();
    if (before.values.size() == 0) return "";
    int tries = 6;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Result& gradient = gradients[i];
        const Tensor<double> values(gradient.values.clone());
        const Tensor<bool> mask = mask_of_result(gradient);
        for (std::int64_t e = 0; e < values.size() && tries > 0; ++e) {
            if (!mask.data()[e] || values.data()[e] != 0) continue;
            --tries;
            Program other = program;
            Tensor<double> poisoned(program.inputs[variables[i]].values.clone());
            poisoned.data()[e] = std::numeric_limits<double>::quiet_NaN();
            other.inputs[variables[i]].values = poisoned;
            const Result after = Function(other).value();
            if (same(after.values, before.values) && after.mask.has_value() == before.mask.has_value() &&
                (!after.mask || same(*after.mask, *before.mask)))
                return "the gradient of element " + std::to_string(e) + " of x" +
                       std::to_string(variables[i]) + " is specified, and the result does not depend on it";
        }
    }
    return "";
}

}  // namespace

Comparison judge_gradients(const Program& given) {
    Comparison judgement;
    try {
        const bool has_conditions = Function(given).makes_conditions();
        const bool has_kinks = std::ranges::any_of(given.instructions, has_kink);
        const Program program = has_conditions || has_kinks ? generic(given) : given;
        Function function(program);
        const std::vector<Result> gradients = function.gradients();
        const Slopes slopes = slopes_of(program, gradients, function.variables());
        const bool is_certain = slopes.is_certain();
        judgement.fault = is_certain ? slopes.fault() : "";
        ++(is_certain ? judgement.close : judgement.uncertain);
        // The derivative of a function with a kink chooses by its sign, which is 0 for NaN; the derivative of
        // steps is 0.
        const bool has_steps = std::ranges::any_of(program.instructions, is_of_steps);
        const bool has_signs = (has_kinks || has_steps) && Function::is_derivative(given);
        if (judgement.fault.empty() && is_certain && !has_conditions && !has_signs &&
            std::ranges::none_of(program.instructions, hides_nan))
            judgement.fault = needless_gradient(program, gradients, function.variables());
    } catch (const Error&) { judgement.is_error = true; }
    return judgement;
}

}  // namespace fuzz
