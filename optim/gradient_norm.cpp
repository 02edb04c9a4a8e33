// SPDX-License-Identifier: MIT
#include "gradient_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "../codegen/loops/loop_provider.hpp"
#include "step_graphs.hpp"

namespace frisket::optim {

namespace {

/// An infinite bound is none.
constexpr double none = std::numeric_limits<double>::infinity();

}  // namespace

void check(const GradientOptions& options) {
    constexpr OptionRange bound{.low = 0, .high = none};
    const auto refuse = [](std::string_view name, double value, const std::string& wanted) {
        throw ValueError("step: option " + std::string(name) + " is " + detail::option_text(value) +
                         ", wanted " + wanted);
    };
    if (!range::positive.contains(options.scale)) refuse("scale", options.scale, range::positive.text());
    if (!bound.contains(options.clip_norm)) refuse("clip_norm", options.clip_norm, "0 or more");
    if (!bound.contains(options.clip_value)) refuse("clip_value", options.clip_value, "0 or more");
}

bool wants_norm(const GradientOptions& options) {
    return options.clip_norm != none || options.skip_nonfinite;
}

ScaledSquares squares_in_range(const std::function<double(double scale)>& sum_for) {
    constexpr int shift = 600;
    const double sum = sum_for(1);
    const bool is_in_range = sum >= std::ldexp(1.0, -900) && sum <= std::ldexp(1.0, 1000);
    if (is_in_range) return {sum, 1};
    const double scale = std::ldexp(1.0, sum < 1 ? shift : -shift);
    return {sum_for(scale), scale};
}

double factor_of(const ScaledSquares& squares, const GradientOptions& options, StepOutcome& report) {
    const double unscale = 1 / options.scale;
    if (!wants_norm(options)) return unscale;
    const double norm = std::sqrt(squares.sum) * std::abs(unscale);  // times the scale
    report.norm = norm / squares.scale;
    report.is_skipped = options.skip_nonfinite && !std::isfinite(squares.sum);
    if (options.clip_norm == none) return unscale;
    // Equals torch.nn.utils.clip_grad_norm_.
    return unscale * std::min(1.0, options.clip_norm * squares.scale / (norm + 1e-6 * squares.scale));
}

double sum_of_squares(const Argument& gradient, double scale, const codegen::LoopProvider& loops) {
    const bool is_masked = gradient.kind() == Argument::Kind::masked;
    const DType dtype = is_masked ? gradient.masked().dtype() : gradient.tensor().dtype();
    const Graph graph = sum_of_squares_graph(dtype, gradient.shape(), is_masked);
    // Compiled loops, however small the gradient.
    const std::vector<Result> found =
        loops.LoopProvider::evaluate(graph, std::array{gradient, Argument(scale)});
    return Tensor<double>(found[0].values).item();
}

}  // namespace frisket::optim
