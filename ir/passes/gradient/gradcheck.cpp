// SPDX-License-Identifier: MIT
#include "gradcheck.hpp"

#include "gradient.hpp"

#include <cmath>
#include <cstdio>

namespace frisket::ir {

namespace {

/// An input as rows of variables.
struct Variables {
    Tensor<double> values;  ///< 0 where nothing is specified
    Tensor<bool> mask;

    AnyMasked masked() const { return AnyMasked::strided(values, mask); }
    /// These variables with another value at one element, which is specified then.
    Variables with(std::int64_t element, double value) const {
        Variables changed{values.clone(), mask.clone()};
        changed.values.data()[element] = value;
        changed.mask.data()[element] = true;
        return changed;
    }
};

/// A result with 0 where it is unspecified.
Tensor<double> dense(const Result& result) {
    if (result.listed) return Tensor<double>(result.listed->to_dense(0));
    if (!result.mask) return Tensor<double>(result.values.clone());
    return Tensor<double>(AnyMasked::strided(result.values, *result.mask).to_dense(0));
}

class Check {
public:
    Check(const Differentiable& function, std::span<const AnyMasked> inputs, const GradcheckOptions& options,
          const ExpressionContext::Evaluate& evaluate)
        : function_(function), options_(options), evaluate_(evaluate) {
        for (const AnyMasked& input : inputs) {
            if (input.dtype() != DType::float64)
                raise(ErrorCode::dtype, "gradcheck of an input of " + std::string(name_of(input.dtype())) +
                                            ", wanted float64: differences of others say little");
            inputs_.push_back({Tensor<double>(input.to_dense(0)), input.mask_tensor()});
            given_.push_back(input.clone());  // one that is given twice is two variables
            rows_ += inputs_.back().values.size();
        }
        columns_ = value_of(given_).size();
    }

    GradcheckReport report() const {
        GradcheckReport report{.numerical = numerical(), .analytical = analytical()};
        report.pass = true;
        for (std::int64_t i = 0; i < rows_ * columns_; ++i) {
            const double wanted = report.numerical.data()[i];
            const double off = std::abs(report.analytical.data()[i] - wanted);
            report.pass = report.pass && off <= options_.atol + options_.rtol * std::abs(wanted);
        }
        return report;
    }

private:
    /// The inputs and the result in a session, the result dense.
    struct Built {
        std::vector<Value> inputs;
        Value result;
    };
    Built build(ExpressionContext& session, std::span<const AnyMasked> inputs) const {
        Built built;
        for (const AnyMasked& input : inputs) built.inputs.push_back(session.masked(input));
        const Value result = function_(session, built.inputs);
        if (result.dtype() != DType::float64)
            session.graph().fail(ErrorCode::dtype, "the result is " + std::string(name_of(result.dtype())) +
                                                       ", wanted float64: write cast<double>(x)");
        const auto path = options_.masked ? GradientPath::specified : GradientPath::everywhere;
        built.result = to_dense(result, session.number(0.0), path);
        return built;
    }

    Tensor<double> value_of(std::span<const AnyMasked> inputs) const {
        ExpressionContext session("gradcheck", evaluate_);
        return Tensor<double>(session.run(build(session, inputs).result).values.clone());
    }

    Tensor<double> numerical() const {
        Tensor<double> jacobian({rows_, columns_});
        std::int64_t row = 0;
        for (std::size_t k = 0; k < inputs_.size(); ++k) {
            for (std::int64_t i = 0; i < inputs_[k].values.size(); ++i, ++row) {
                if (options_.masked && !inputs_[k].mask.data()[i]) continue;
                const auto at = [&](double step) {
                    std::vector<AnyMasked> moved = given_;
                    moved[k] = inputs_[k].with(i, inputs_[k].values.data()[i] + step).masked();
                    return value_of(moved);
                };
                const Tensor<double> above = at(options_.eps), below = at(-options_.eps);
                for (std::int64_t column = 0; column < columns_; ++column)
                    jacobian.data()[row * columns_ + column] =
                        (above.data()[column] - below.data()[column]) / (2 * options_.eps);
            }
        }
        return jacobian;
    }

    Tensor<double> analytical() const {
        Tensor<double> jacobian({rows_, columns_});
        for (std::int64_t column = 0; column < columns_; ++column) {
            ExpressionContext session("gradcheck", evaluate_);
            const Built built = build(session, given_);  // in the layouts that were given
            Tensor<double> one(Shape(built.result.shape()));
            one.data()[column] = 1;
            const std::vector<Value> gradients =
                gradient(built.result, built.inputs, session.tensor(one), Unused::allowed);
            std::int64_t row = 0;
            for (const Result& part : session.run_any(gradients)) {
                const Tensor<double> values = dense(part);
                for (std::int64_t i = 0; i < values.size(); ++i, ++row)
                    jacobian.data()[row * columns_ + column] = values.data()[i];
            }
        }
        return jacobian;
    }

    const Differentiable& function_;
    std::vector<AnyMasked> given_;
    GradcheckOptions options_;
    const ExpressionContext::Evaluate& evaluate_;
    std::vector<Variables> inputs_;
    std::int64_t rows_ = 0, columns_ = 0;
};

std::string text_of(const Tensor<double>& jacobian) {
    std::string text;
    for (std::int64_t row = 0; row < jacobian.shape()[0]; ++row) {
        text += "\n ";
        for (std::int64_t column = 0; column < jacobian.shape()[1]; ++column) {
            char number[32];
            std::snprintf(number, sizeof number, " %11.6g", jacobian.at({row, column}));
            text += number;
        }
    }
    return text;
}

}  // namespace

std::string GradcheckReport::text() const {
    if (pass) return "gradients agree with differences";
    std::int64_t worst = 0;
    const auto off = [&](std::int64_t i) { return std::abs(analytical.data()[i] - numerical.data()[i]); };
    for (std::int64_t i = 1; i < numerical.size(); ++i)
        if (!(off(i) <= off(worst))) worst = i;
    const std::int64_t columns = numerical.shape()[1];
    return "gradients differ from differences, most at row " + std::to_string(worst / columns) +
           " (input element), column " + std::to_string(worst % columns) +
           " (result element)\nnumerical:" + text_of(numerical) + "\nanalytical:" + text_of(analytical);
}

GradcheckReport gradcheck(const Differentiable& function, std::span<const AnyMasked> inputs,
                          GradcheckOptions options, const ExpressionContext::Evaluate& evaluate) {
    return Check(function, inputs, options, evaluate).report();
}

}  // namespace frisket::ir
