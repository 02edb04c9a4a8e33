// SPDX-License-Identifier: MIT
// How well a search finds schedules on a busy machine: masked Adagrad over a bit mask of 4096 x 4096 float32
// elements, by the schedule that is found while another process keeps a core busy, against what is found
// alone.  The goal is 1.1 of the latter.
#include <frisket/frisket.hpp>
#include <frisket/tune.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "adagrad.hpp"
#include "masks.hpp"
#include "report.hpp"

using namespace frisket;

namespace {

using bench::adagrad, bench::eps, bench::grad, bench::lr, bench::param, bench::state_sum;

constexpr double search_s = 15, rate = 1e-6, tiny = 1e-10;

/// Another process that keeps a core busy.
class Load {
public:
    Load() : process_(fork()) {
        if (process_ != 0) return;
        for (std::atomic<unsigned> turns{0};;) ++turns;
    }
    ~Load() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

private:
    pid_t process_;
};

struct Race {
    Tensor<float> p = full<float>({bench::side, bench::side}, 1),
                  s = full<float>({bench::side, bench::side}, 1), g = bench::random_gradient();

    /// The schedule that calls run after a search.
    Schedule found_for(const MaskedTensor<float>& gradient) const {
        const TuneResult result = tune(adagrad, {.seconds = search_s}, param = p, state_sum = s,
                                       grad = gradient, lr = rate, eps = tiny);
        return result.schedule.value_or(default_schedule(result.usual));
    }

    bench::Contender contender(std::string name, const Schedule& schedule,
                               const MaskedTensor<float>& gradient) const {
        return {std::move(name), [this, kernel = jit(adagrad, schedule), gradient] {
                    kernel(param = p, state_sum = s, grad = gradient, lr = rate, eps = tiny);
                }};
    }

    void run(const bench::Ratios& ratios, const bench::Mask& mask) const {
        const MaskedTensor<float> gradient = bench::bitmask_of(mask, g);
        const Schedule alone = found_for(gradient);
        const Schedule beside = [&] {
            const Load load;
            return found_for(gradient);
        }();
        ratios.race(
            {.workload = "tuned beside a busy process",
             .what = std::to_string(static_cast<int>(mask.density * 100)) + " %: " + to_string(beside),
             .bytes = static_cast<double>(mask.lines) * 64 * 5 + bench::side * bench::side / 8},
            {contender("frisket", beside, gradient),
             contender("alone: " + to_string(alone), alone, gradient)});
    }
};

}  // namespace

int main(int argc, char** argv) {
    const bench::Options options = bench::options_of(argc, argv);
    const bench::Ratios ratios(options);
    const Race race;
    for (const double density : {0.01, 0.3}) race.run(ratios, bench::make_mask("random", density, race.g));
}
