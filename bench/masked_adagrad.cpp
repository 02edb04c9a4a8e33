// SPDX-License-Identifier: MIT
// Masked Adagrad on 4096 x 4096 float32 elements: frisket, which is told only the layout, against loops
// written by hand for each case.  All of a case run in turn in this process; times are minima.
#include <frisket/frisket.hpp>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "hand_loops.hpp"
#include "measure.hpp"

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;
constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

constexpr std::int64_t side = 4096, count = side * side;
constexpr float rate = 1e-6F, tiny = 1e-10F;

/// A mask in every form that a contender wants.
struct Mask {
    std::string pattern;  // random elements, whole rows, or blocks of 16 x 16
    double density = 0;
    Tensor<bool> bytes{Shape{side, side}};
    std::vector<std::uint64_t> words = std::vector<std::uint64_t>(count / 64);
    std::vector<std::int32_t> positions;
    std::vector<float> values;
    std::int64_t lines = 0;  // cache lines of one array with a specified element
};

void finish(Mask& mask, const Tensor<float>& gradient) {
    const bool* bytes = mask.bytes.data();
    for (std::int64_t i = 0; i < count; ++i) {
        if (!bytes[i]) continue;
        mask.words[i / 64] |= std::uint64_t{1} << (i % 64);
        mask.positions.push_back(static_cast<std::int32_t>(i));
        mask.values.push_back(gradient.data()[i]);
    }
    for (std::uint64_t word : mask.words)
        for (int k = 0; k < 4; ++k) mask.lines += (word >> (16 * k) & 0xffff) != 0;
}

Mask make_mask(const std::string& pattern, double density, const Tensor<float>& gradient) {
    Mask mask;
    mask.pattern = pattern;
    mask.density = density;
    std::mt19937_64 generator(7);
    std::bernoulli_distribution pick(density);
    bool* bytes = mask.bytes.data();
    const std::int64_t high = pattern == "block" ? 16 : 1;
    const std::int64_t wide = pattern == "random" ? 1 : pattern == "block" ? 16 : side;
    for (std::int64_t y = 0; y < side; y += high)
        for (std::int64_t x = 0; x < side; x += wide) {
            if (!pick(generator)) continue;
            for (std::int64_t v = y; v < y + high; ++v)
                for (std::int64_t u = x; u < x + wide; ++u) bytes[v * side + u] = true;
        }
    finish(mask, gradient);
    return mask;
}

MaskedTensor<float> coo_of(const Mask& mask) {
    std::vector<std::vector<std::int64_t>> indices(2);
    for (std::int32_t position : mask.positions) {
        indices[0].push_back(position / side);
        indices[1].push_back(position % side);
    }
    return MaskedTensor<float>::coo({side, side}, indices, mask.values);
}

Tensor<float> random_gradient() {
    Tensor<float> gradient({side, side});
    std::mt19937 generator(1);
    for (std::int64_t i = 0; i < count; ++i)
        gradient.data()[i] = static_cast<float>(generator()) / 4294967296.0F - 0.5F;
    return gradient;
}

/// The tensors of the step, and the contenders over them.
class Races {
public:
    explicit Races(double seconds) : seconds_(seconds), bandwidth_(measured_bandwidth()) {}

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
        Tensor<std::int64_t> bits({count / 64});
        std::copy(mask.words.begin(), mask.words.end(), reinterpret_cast<std::uint64_t*>(bits.data()));
        report("bitmask", mask, touched(mask, 5) + count / 8.0,
               {ours(MaskedTensor<float>::bitmask(g_, bits)),
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
    double bandwidth() const { return bandwidth_; }  ///< bytes a second

private:
    /// Bytes of the cache lines that a step over `mask` needs: param and state are read and written; the
    /// gradient is read, unless it is a list.
    static double touched(const Mask& mask, int arrays) {
        return static_cast<double>(mask.lines) * 64 * arrays;
    }

    double measured_bandwidth() const {
        Tensor<float> a({side, side});
        std::vector<bench::Contender> memory{
            {"triad", [&] { bench::triad(a.data(), g_.data(), s_.data(), count); }}};
        bench::race(memory, seconds_);
        return 12.0 * count / memory[0].best_s;
    }

    bench::Contender ours(const MaskedTensor<float>& gradient) const {
        return {"frisket", [this, gradient] {
                    kernel_(param = p_, state_sum = s_, grad = gradient, lr = rate, eps = tiny);
                }};
    }

    void report(const char* layout, const Mask& mask, double bytes,
                std::vector<bench::Contender> contenders) const {
        bench::race(contenders, seconds_);
        const bench::Contender* best = &contenders[1];
        for (std::size_t i = 2; i < contenders.size(); ++i)
            if (contenders[i].best_s < best->best_s) best = &contenders[i];
        const double seconds = contenders[0].best_s;
        std::printf("%-8s %-7s %5.1f %%  frisket %7.3f ms  %-12s %7.3f ms  ratio %5.2f  limit %4.0f %%",
                    layout, mask.pattern.c_str(), mask.density * 100, seconds * 1e3, best->name.c_str(),
                    best->best_s * 1e3, seconds / best->best_s, bytes / bandwidth_ / seconds * 100);
        for (std::size_t i = 1; i < contenders.size(); ++i)
            std::printf("  %s %.3f", contenders[i].name.c_str(), contenders[i].best_s * 1e3);
        std::printf("\n");
        std::fflush(stdout);
    }

    Tensor<float> p_ = full<float>({side, side}, 1.0F), s_ = full<float>({side, side}, 0.5F),
                  g_ = random_gradient();
    bench::Adagrad hand_{p_.data(), s_.data(), g_.data(), rate, tiny};
    decltype(jit(adagrad)) kernel_ = jit(adagrad);
    double seconds_, bandwidth_;
};

/// Threads of OpenMP that wait by spinning would take the cores from the next contender.
void let_threads_sleep(char** argv) {
    if (std::getenv("OMP_WAIT_POLICY")) return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
    let_threads_sleep(argv);
    const bool all = argc > 2 && std::string(argv[2]) == "all";
    Races races(argc > 1 ? std::strtod(argv[1], nullptr) : 1);
    std::printf("triad %.1f GB/s; hand-written vectors: %s\n", races.bandwidth() * 1e-9,
                std::string(bench::instructions()).c_str());
    using List = std::vector<std::string>;
    for (const std::string& pattern : all ? List{"random", "rows", "block"} : List{"random"})
        for (double density : all ? std::vector{0.001, 0.01, 0.1, 0.5, 1.0} : std::vector{0.01, 0.1, 1.0}) {
            const Mask mask = make_mask(pattern, density, races.gradient());
            races.strided(mask);
            races.bitmask(mask);
            races.coo(mask);
            if (density == 1.0) races.dense(mask);
        }
}
