// SPDX-License-Identifier: MIT
#include "minimize.hpp"

#include "../codegen/loops/loop_provider.hpp"
#include "../dsl/evaluated.hpp"
#include "../ir/contained_masks.hpp"
#include "../ir/expressions/expression_context.hpp"
#include "../ir/passes/gradient/gradient.hpp"
#include "../ir/planner/executor/interpreted_stages.hpp"
#include "../runtime/layouts/stored.hpp"
#include "../runtime/support/joined.hpp"
#include "parameter_state.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace frisket::optim {

namespace {

/// The tensors and numbers bound to the symbols of a loss.
class LossInputs {
public:
    LossInputs(std::span<const NamedParameter> parameters, std::span<const NamedArgument> inputs)
        : parameters_(parameters), inputs_(inputs) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (inputs[j].name == inputs[i].name)
                    throw BindingError("minimize: there are two inputs of " + inputs[i].name);
    }

    ir::Value bind(ir::ExpressionContext& context, std::string_view name, SymbolKind kind, DType dtype) {
        const auto input = std::ranges::find(inputs_, name, &NamedArgument::name);
        const auto parameter = std::ranges::find(parameters_, name, &NamedParameter::name);
        if (input != inputs_.end() && parameter != parameters_.end())
            throw BindingError("minimize: " + std::string(name) + " is a parameter: leave its input out");
        if (parameter != parameters_.end()) {
            check_kind(name, kind, dtype, parameter->tensor);
            return context.tensor(parameter->tensor);
        }
        if (input == inputs_.end())
            throw BindingError("minimize: the loss reads " + std::string(name) +
                               ", which is no parameter and has no input: write " + std::string(name) +
                               " = tensor after the loss");
        check_kind(name, kind, dtype, input->value);
        const auto known = bound_.find(name);
        if (known != bound_.end()) return known->second;
        return bound_.emplace(name, input_of(context, dtype, input->value)).first->second;
    }

    /// Errors: BindingError if an input belongs to no symbol of the loss.
    void check_bound() const {
        for (const NamedArgument& input : inputs_)
            if (!bound_.contains(input.name))
                throw BindingError("minimize: there is an input of " + input.name +
                                   ", which the loss does not read");
    }

private:
    static void check_kind(std::string_view name, SymbolKind kind, DType dtype, const Argument& value) {
        const auto refuse = [&](const std::string& given, const std::string& wanted) {
            throw BindingError("minimize: " + std::string(name) + " is " + given + ", wanted " + wanted);
        };
        const auto check = [&](DType given) {
            // Loads of 16 bits widen.
            const bool widens =
                dtype == DType::float32 && (given == DType::float16 || given == DType::bfloat16);
            if (given != dtype && !widens) refuse(std::string(name_of(given)), std::string(name_of(dtype)));
        };
        const bool is_number = kind == SymbolKind::scalar || kind == SymbolKind::scalar_state;
        switch (value.kind()) {
            case Argument::Kind::tensor:
                if (is_number || kind == SymbolKind::masked)
                    refuse("a tensor", is_number ? "a number" : "a masked tensor");
                return check(value.tensor().dtype());
            case Argument::Kind::masked:
                if (kind != SymbolKind::masked)
                    refuse("a masked tensor", is_number ? "a number" : "a tensor");
                return check(value.masked().dtype());
            default:
                if (!is_number) refuse("a number", "a tensor");
        }
    }

    /// A symbol is a variable of its own, also if its tensor is a parameter or another input.
    static ir::Value input_of(ir::ExpressionContext& context, DType dtype, const Argument& value) {
        if (value.kind() == Argument::Kind::tensor) return context.input(value.tensor());
        if (value.kind() == Argument::Kind::masked) return context.input(value.masked());
        return info_of(dtype).is_float ? context.number(value.number()) : context.number(value.whole());
    }

    std::span<const NamedParameter> parameters_;
    std::span<const NamedArgument> inputs_;
    std::map<std::string, ir::Value, std::less<>> bound_;
};

/// A gradient as it is evaluated: dense if it is specified everywhere.
ir::Value gradient_result(ir::Value gradient) {
    const auto mask = ir::mask_or_none(gradient);
    return mask && ir::is_true_everywhere(gradient.graph->graph(), mask->id) ? ir::bare(gradient) : gradient;
}

/// A result in memory of its own, or a list.
Argument argument_of(Result&& result) {
    if (result.mask || result.listed) return frisket::detail::masked_value(std::move(result));
    return frisket::detail::dense_value(std::move(result));
}

/// A gradient in the dtype of its parameter, which may have 16 bits.
Argument gradient_of(Result&& result, DType dtype) {
    Argument gradient = argument_of(std::move(result));
    if (gradient.kind() == Argument::Kind::tensor)
        return gradient.tensor().dtype() == dtype ? gradient : Argument(gradient.tensor().to(dtype));
    const AnyMasked& masked = gradient.masked();
    if (masked.dtype() == dtype) return gradient;
    return runtime::with_values(masked, masked.values().to(dtype));
}

/// The value of a loss; none if it is unspecified.
std::optional<double> number_of(Result&& result) {
    const AnyMasked loss = argument_of(std::move(result)).as_masked().to(Device());
    if (loss.specified_count() == 0) return {};
    const AnyTensor values = loss.to_dense(0);
    return values.dtype() == DType::float64 ? *static_cast<const double*>(values.data())
                                            : static_cast<double>(*static_cast<const float*>(values.data()));
}

}  // namespace

LossGradients loss_gradients(const std::function<ir::Value(GraphEmitter&)>& emit,
                             std::span<const NamedParameter> parameters,
                             std::span<const NamedArgument> inputs, const Optimizer::Settings& settings) {
    ir::ExpressionContext context("minimize", [&](const Graph& graph, std::span<const Argument> arguments) {
        return settings.interpret ? planning::evaluate_planned(graph, arguments)
                                  : settings.kernels(settings.target).evaluate(graph, arguments);
    });
    LossInputs symbols(parameters, inputs);
    GraphEmitter emitter(context);
    emitter.bind_symbols([&](std::string_view name, SymbolKind kind, DType dtype) {
        return symbols.bind(context, name, kind, dtype);
    });
    const ir::Value loss = emit(emitter);
    symbols.check_bound();
    if (element_count(loss.shape()) != 1)
        throw ShapeError("minimize: the loss has shape " + to_string(loss.shape()) +
                         ", wanted one number: write mean(loss) or sum(loss)");
    std::vector<ir::Value> wanted{loss};
    std::vector<std::size_t> read;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const ir::Value wrt = context.tensor(parameters[i].tensor);
        if (!emitter.is_read(loss, wrt)) continue;
        wanted.push_back(gradient_result(emitter.gradient(loss, wrt, {}, false)));
        read.push_back(i);
    }
    if (read.empty()) {
        std::vector<std::string> names;
        for (const NamedParameter& parameter : parameters) names.push_back(parameter.name);
        throw ValueError(
            "minimize: the loss reads no parameter: it is to be an expression over the tensors of " +
            runtime::joined(names) + ", or over symbols of these names");
    }
    std::vector<Result> results = context.run_any(wanted);
    LossGradients found{{}, std::vector<Argument>(parameters.size())};
    for (std::size_t i = 0; i < read.size(); ++i)
        found.gradients[read[i]] = gradient_of(std::move(results[i + 1]), parameters[read[i]].tensor.dtype());
    found.loss = number_of(std::move(results[0]));
    return found;
}

StepOutcome Optimizer::minimize_loss(const std::function<ir::Value(GraphEmitter&)>& emit,
                                     std::span<const NamedArgument> inputs, const GradientOptions& options) {
    const LossGradients found = loss_gradients(emit, all().parameters(), inputs, all().settings);
    StepOutcome outcome = step(found.gradients, options);
    outcome.loss = found.loss.value_or(std::numeric_limits<double>::quiet_NaN());
    return outcome;
}

}  // namespace frisket::optim
