// SPDX-License-Identifier: MIT
// Masked sum, mean and amax of 4096 x 4096 float32 elements, of all, of columns and of rows, under random
// masks: frisket's eval against loops written by hand.
#include <frisket/frisket.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "hand_reductions.hpp"
#include "report.hpp"

using namespace frisket;

namespace {

constexpr std::int64_t side = 4096, count = side * side;

/// A matrix whose elements are specified at random, with its mask in both forms.
struct Matrix {
    explicit Matrix(double density) {
        std::mt19937 generator(1);
        std::bernoulli_distribution pick(density);
        for (std::int64_t i = 0; i < count; ++i) {
            values.data()[i] = static_cast<float>(generator()) / 4294967296.0F - 0.5F;
            const bool is_specified = pick(generator);
            bytes.data()[i] = is_specified;
            bits.data()[i / 64] |= static_cast<std::int64_t>(std::uint64_t{is_specified} << (i % 64));
        }
        std::int64_t lines = 0;
        for (std::int64_t i = 0; i < count; i += 16)
            lines += std::any_of(bytes.data() + i, bytes.data() + i + 16, [](bool one) { return one; });
        touched = static_cast<double>(lines) * 64;
    }
    Tensor<float> values{Shape{side, side}};
    Tensor<bool> bytes{Shape{side, side}};
    Tensor<std::int64_t> bits{Shape{count / 64}};
    double touched = 0;  // bytes of the cache lines with a specified element
};

/// One layout of one matrix.
class Races {
public:
    Races(const bench::Ratios& ratios, const Matrix& matrix, std::string what, bool is_bitmask)
        : ratios_(ratios),
          what_(std::move(what)),
          x_(is_bitmask ? MaskedTensor<float>::bitmask(matrix.values, matrix.bits)
                        : masked(matrix.values, matrix.bytes)),
          hand_{matrix.values.data(),
                is_bitmask ? nullptr : reinterpret_cast<const std::uint8_t*>(matrix.bytes.data()),
                reinterpret_cast<const std::uint64_t*>(matrix.bits.data()), side, side},
          moved_(matrix.touched + (is_bitmask ? count / 8 : count)) {}

    void run() {
        reduction("sum", bench::Op::sum, [](const auto&... x) { return sum(x...); });
        reduction("mean", bench::Op::mean, [](const auto&... x) { return mean(x...); });
        reduction("amax", bench::Op::amax, [](const auto&... x) { return amax(x...); });
    }

private:
    template <class Reduce>
    void reduction(const std::string& name, bench::Op op, Reduce reduce) {
        const auto race = [&](const char* of, const auto& ours, const auto& hand) {
            check(name, ours(), hand());
            ratios_.race({.workload = "masked " + name + of, .what = what_, .bytes = moved_},
                         {{"frisket", [&] { ours(); }}, {"hand", [&] { hand(); }}});
        };
        float* const made = made_.data();
        race(
            "", [&] { return eval(reduce(x_)); },
            [&] {
                made[0] = bench::reduce_all(op, hand_);
                return made;
            });
        race(
            " {0}", [&] { return eval(reduce(x_, Dims{0})); },
            [&] {
                bench::reduce_columns(op, hand_, made);
                return made;
            });
        race(
            " {1}", [&] { return eval(reduce(x_, Dims{1})); },
            [&] {
                bench::reduce_rows(op, hand_, made);
                return made;
            });
    }

    /// A race of loops that do not do the same is none.
    static void check(const std::string& name, const MaskedTensor<float>& ours, const float* hand) {
        const auto* const values = static_cast<const float*>(ours.values().data());
        for (std::int64_t i = 0; i < ours.values().size(); ++i) {
            if (std::abs(values[i] - hand[i]) <= 1e-3F * std::max(1.0F, std::abs(hand[i]))) continue;
            std::fprintf(stderr, "masked %s: element %lld is %g, and %g by hand\n", name.c_str(),
                         static_cast<long long>(i), values[i], hand[i]);
            std::exit(1);
        }
    }

    const bench::Ratios& ratios_;
    std::string what_;
    MaskedTensor<float> x_;
    bench::MaskedMatrix hand_;
    double moved_;
    std::vector<float> made_ = std::vector<float>(side);
};

}  // namespace

int main(int argc, char** argv) {
    const bench::Ratios ratios(bench::options_of(argc, argv));
    for (const double density : {0.1, 0.5}) {
        const Matrix matrix(density);
        const std::string what = density < 0.3 ? "10 %" : "50 %";
        Races(ratios, matrix, "bytes, " + what, false).run();
        Races(ratios, matrix, "bits, " + what, true).run();
    }
}
