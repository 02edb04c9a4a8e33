// SPDX-License-Identifier: MIT
// Masked Adagrad on 4096 x 4096 float32 elements: frisket, which is told only the layout, against loops
// written by hand for each case.  All of a case run in turn in this process; times are minima.
#include <frisket/frisket.hpp>

#include <cstdio>

#include "adagrad.hpp"
#include "hand_loops.hpp"
#include "masks.hpp"
#include "report.hpp"

using namespace frisket;

namespace {

using bench::adagrad, bench::eps, bench::grad, bench::lr, bench::param, bench::state_sum;

using bench::Mask, bench::coo_of, bench::make_mask, bench::random_gradient;
constexpr std::int64_t side = bench::side, count = side * side;
constexpr float rate = 1e-6F, tiny = 1e-10F;

/// The tensors of the step, and the contenders over them.
class Races {
public:
    explicit Races(const bench::Ratios& ratios) : ratios_(ratios) {}

    void strided(const Mask& mask) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(mask.bytes.data());
        report("strided", mask, touched(mask, 5) + count,
               {ours(masked(g_, mask.bytes)),
                {"branch", [&] { bench::branch(hand_, bytes, count); }},
                {"blend", [&] { bench::blend(hand_, bytes, count); }},
                {"vector", [&] { bench::vector_bytes(hand_, bytes, count); }}});
    }
    void bitmask(const Mask& mask) {
        const auto* words = mask.words.data();
        report("bitmask", mask, touched(mask, 5) + count / 8.0,
               {ours(bench::bitmask_of(mask, g_)),
                {"vector", [&] { bench::vector_bits(hand_, words, count); }},
                {"scan", [&] { bench::scan_bits(hand_, words, count); }}});
    }
    void coo(const Mask& mask) {
        const double stored = 8.0 * static_cast<double>(mask.positions.size());
        report("coo", mask, touched(mask, 4) + stored,
               {ours(coo_of(mask)),
                {"index list", [&] { bench::index_list(hand_, mask.positions, mask.values.data()); }}});
    }
    void dense(const Mask& mask) {
        report("dense", mask, touched(mask, 5),
               {ours(MaskedTensor<float>::dense(g_)), {"dense", [&] { bench::dense(hand_, count); }}});
    }

    const Tensor<float>& gradient() const { return g_; }

private:
    /// Bytes of the cache lines that a step over `mask` needs: param and state are read and written; the
    /// gradient is read, unless it is a list.
    static double touched(const Mask& mask, int arrays) {
        return static_cast<double>(mask.lines) * 64 * arrays;
    }

    bench::Contender ours(const MaskedTensor<float>& gradient) const {
        return {"frisket", [this, gradient] {
                    kernel_(param = p_, state_sum = s_, grad = gradient, lr = rate, eps = tiny);
                }};
    }

    void report(const char* layout, const Mask& mask, double bytes,
                std::vector<bench::Contender> contenders) const {
        char density[16];
        std::snprintf(density, sizeof density, "%g %%", mask.density * 100);
        ratios_.race({.workload = "masked adagrad",
                      .what = std::string(layout) + ", " + mask.pattern + " " + density,
                      .goal = layout == std::string("dense") ? 1.05 : 1.1,
                      .bytes = bytes},
                     std::move(contenders));
    }

    Tensor<float> p_ = full<float>({side, side}, 1.0F), s_ = full<float>({side, side}, 0.5F),
                  g_ = random_gradient();
    bench::Adagrad hand_{p_.data(), s_.data(), g_.data(), rate, tiny};
    decltype(jit(adagrad)) kernel_ = jit(adagrad);
    const bench::Ratios& ratios_;
};

}  // namespace

int main(int argc, char** argv) {
    const bench::Options options = bench::options_of(argc, argv);
    const bench::Ratios ratios(options);
    Races races(ratios);
    using List = std::vector<std::string>;
    for (const std::string& pattern : options.all ? List{"random", "rows", "block"} : List{"random"})
        for (double density :
             options.all ? std::vector{0.001, 0.01, 0.1, 0.5, 1.0} : std::vector{0.01, 0.1, 1.0}) {
            const Mask mask = make_mask(pattern, density, races.gradient());
            races.strided(mask);
            races.bitmask(mask);
            races.coo(mask);
            if (density == 1.0) races.dense(mask);
        }
}
