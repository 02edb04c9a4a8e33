// SPDX-License-Identifier: MIT
#include "optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace frisket::optim {

namespace {
/// The share of the way that is done, at most 1.
double done(std::int64_t step, std::int64_t steps) {
    return steps <= 0 ? 1 : std::min(1.0, static_cast<double>(step) / static_cast<double>(steps));
}
}  // namespace

double step_decay(std::int64_t step, std::int64_t every, double lr, double gamma) {
    return lr * std::pow(gamma, static_cast<double>(step / std::max<std::int64_t>(every, 1)));
}
double exponential(std::int64_t step, double lr, double gamma) {
    return lr * std::pow(gamma, static_cast<double>(step));
}
double linear(std::int64_t step, std::int64_t steps, double lr, double last) {
    const double share = done(step, steps);
    return lr * (1 - share) + last * share;
}
double polynomial(std::int64_t step, std::int64_t steps, double lr, double power) {
    return lr * std::pow(1 - done(step, steps), power);
}
double cosine(std::int64_t step, std::int64_t steps, double lr, double last) {
    return last + (lr - last) * (1 + std::cos(std::numbers::pi * done(step, steps))) / 2;
}
double inverse_sqrt(std::int64_t step, std::int64_t warmup, double lr) {
    const auto now = static_cast<double>(step),
               first = static_cast<double>(std::max<std::int64_t>(warmup, 1));
    return lr * std::min(now / first, std::sqrt(first / std::max(now, 1.0)));
}

}  // namespace frisket::optim
