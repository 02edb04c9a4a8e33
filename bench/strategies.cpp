// SPDX-License-Identifier: MIT
// How well calls choose: masked Adagrad over a bit mask of 4096 x 4096 float32 elements, left to itself,
// against every strategy that it could have chosen, each alone.  The goal is 1.1 of the best of them.
#include <frisket/frisket.hpp>

#include <cstdio>

#include "adagrad.hpp"
#include "masks.hpp"
#include "report.hpp"

using namespace frisket;

namespace {

using bench::adagrad, bench::eps, bench::grad, bench::lr, bench::param, bench::state_sum;

struct Race {
    Tensor<float> p = full<float>({bench::side, bench::side}, 1),
                  s = full<float>({bench::side, bench::side}, 1), g = bench::random_gradient();

    bench::Contender contender(std::string name, const Kernel<std::remove_const_t<decltype(adagrad)>>& kernel,
                               const MaskedTensor<float>& gradient) const {
        return {std::move(name), [this, kernel, gradient] {
                    kernel(param = p, state_sum = s, grad = gradient, lr = 1e-6F, eps = 1e-10F);
                }};
    }

    void run(const bench::Ratios& ratios, const bench::Mask& mask) const {
        const MaskedTensor<float> gradient = bench::bitmask_of(mask, g);
        std::vector<bench::Contender> contenders{contender("frisket", jit(adagrad), gradient)};
        const auto add = [&](Strategy strategy) {
            contenders.push_back(contender(std::string(name_of(strategy)),
                                           jit(adagrad, default_schedule(strategy)), gradient));
        };
        for (const Strategy strategy : flat_choices) add(strategy);
        for (const Strategy strategy : flat_others)
            if (strategy != Strategy::bytes) add(strategy);  // the mask is bits
        char density[16];
        std::snprintf(density, sizeof density, "%g %%", mask.density * 100);
        ratios.race({.workload = "choice of strategy",
                     .what = mask.pattern + " " + density,
                     .bytes = static_cast<double>(mask.lines) * 64 * 5 + bench::side * bench::side / 8},
                    std::move(contenders));
    }
};

}  // namespace

int main(int argc, char** argv) {
    const bench::Options options = bench::options_of(argc, argv);
    const bench::Ratios ratios(options);
    const Race race;
    for (const char* pattern : {"random", "rows", "block"})
        for (const double density : {0.0005, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.5, 0.8, 1.0})
            race.run(ratios, bench::make_mask(pattern, density, race.g));
}
