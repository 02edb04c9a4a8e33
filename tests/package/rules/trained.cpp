// SPDX-License-Identifier: MIT
// trained FILE [--interpret]   writes the parameters of all rules after steps with gradients in each layout:
// the same bytes on any processor, by kernels ahead of time, just in time and the interpreter
#include <frisket/runtime.hpp>

#ifdef JUST_IN_TIME
#include "rules.hpp"
#define KERNELS frisket::just_in_time
#else
#include <many_rules.hpp>
#define KERNELS many_rules::kernels
#endif

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

using namespace frisket;

namespace {

/// Numbers that are the same on any processor.
class Numbers {
public:
    explicit Numbers(std::uint32_t seed) : state_(seed) {}
    float next() {
        state_ = state_ * 1664525U + 1013904223U;
        return static_cast<float>(static_cast<std::int32_t>(state_ >> 8U) - (1 << 23)) / (1 << 22);
    }

private:
    std::uint32_t state_;
};

Tensor<float> random(const Shape& shape, std::uint32_t seed) {
    Numbers numbers(seed);
    const Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = numbers.next();
    return made;
}

/// A gradient, of which about a third is specified; huge, infinite and NaN elements are among them.
AnyMasked gradient(const Shape& shape, Layout layout, std::uint32_t seed) {
    const Tensor<float> values = random(shape, seed);
    const Tensor<bool> mask(shape);
    Numbers numbers(seed + 1);
    for (std::int64_t i = 0; i < mask.size(); ++i)
        mask.data()[i] =
            layout == Layout::dense || (layout == Layout::rows       ? i / shape[1] % 3 == 0
                                        : layout == Layout::two_four ? i % 4 < 2 && numbers.next() > 0
                                                                     : numbers.next() > 0.7F);
    if (values.size() > 20) {
        values.data()[3] = std::numeric_limits<float>::infinity();
        values.data()[7] = std::numeric_limits<float>::quiet_NaN();
        values.data()[11] = 1e30F;
    }
    return AnyMasked::strided(values, mask).to(layout);
}

/// Writes values, all NaN as one.
void write(std::FILE* file, const Tensor<float>& values) {
    for (std::int64_t i = 0; i < values.size(); ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, values.data() + i, sizeof bits);
        if (std::isnan(values.data()[i])) bits = 0x7fc00000U;
        std::fwrite(&bits, sizeof bits, 1, file);
    }
}

constexpr Layout layouts[] = {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows,
                              Layout::csr,   Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};

/// True if a layout can hold a tensor of this shape.
bool can_hold(Layout layout, const Shape& shape) {
    if (layout == Layout::two_four) return shape[1] % 4 == 0;
    const bool has_blocks = layout == Layout::bsr || layout == Layout::bsc;
    return !has_blocks || (shape[0] % 2 == 0 && shape[1] % 2 == 0);
}

void train(std::FILE* file, const optim::AnyRule& rule, bool interpret) {
    for (const Layout layout : layouts)
        for (const Shape& shape : {Shape{1, 1}, Shape{4, 4}, Shape{37, 72}, Shape{300, 64}}) {
            if (layout != Layout::dense && (!rule.info().no_mask.empty() || !can_hold(layout, shape)))
                continue;
            const Tensor<float> param = random(shape, 1);
            optim::Optimizer optimizer({.interpret = interpret, .kernels = KERNELS}, rule, {{"w", param}});
            for (std::uint32_t step = 0; step < 3; ++step) {
                const optim::GradientOptions options{.scale = step == 1 ? 4.0 : 1.0};
                optimizer.step({gradient(shape, layout, 10 * step)}, options);
            }
            write(file, param);
        }
}

}  // namespace

int main(int argc, char** argv) {
    std::FILE* const file = argc > 1 ? std::fopen(argv[1], "wb") : nullptr;
    if (file == nullptr) return 1;
#define TRAIN(Rule) train(file, optim::Rule{}, argc > 2);
    FRISKET_OPTIMIZER_RULES(TRAIN)
    return std::fclose(file) == 0 ? 0 : 1;
}
