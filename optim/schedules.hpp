// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

/// Learning rates as functions of the step: `optimizer.options<Adam>().lr = cosine(step, 1000, 3e-4)`.  Steps
/// count from 0.
namespace frisket::optim {

/// `lr * gamma^(step / every)`, in stairs: torch.optim.lr_scheduler.StepLR.
double step_decay(std::int64_t step, std::int64_t every, double lr, double gamma = 0.1);
/// `lr * gamma^step`: ExponentialLR.
double exponential(std::int64_t step, double lr, double gamma);
/// Straight from `lr` to `last` over `steps`: LinearLR.
double linear(std::int64_t step, std::int64_t steps, double lr, double last = 0);
/// `lr * (1 - step / steps)^power`: PolynomialLR.
double polynomial(std::int64_t step, std::int64_t steps, double lr, double power = 1);
/// Half a cosine from `lr` to `last` over `steps`: CosineAnnealingLR.
/// Source: Loshchilov and Hutter, "SGDR", ICLR 2017, eq. 5.
double cosine(std::int64_t step, std::int64_t steps, double lr, double last = 0);
/// Straight from 0 to `lr` over the first `warmup` steps, then lr * sqrt(warmup / step).
/// Source: Vaswani et al., "Attention is all you need", NeurIPS 2017, eq. 3, scaled to its maximum.
double inverse_sqrt(std::int64_t step, std::int64_t warmup, double lr);
/// `schedule` after a straight way from 0 to its first value over `warmup` steps; it sees steps from 0 on.
template <class Schedule>
double warmed_up(std::int64_t step, std::int64_t warmup, const Schedule& schedule) {
    if (step >= warmup) return schedule(step - warmup);
    return schedule(std::int64_t{0}) * (static_cast<double>(step) / static_cast<double>(warmup));
}

}  // namespace frisket::optim
