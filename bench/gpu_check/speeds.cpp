// SPDX-License-Identifier: MIT
#include "speeds.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include <gpu_kernels.hpp>

#include "data.hpp"

namespace gpu_check {

namespace {

using frisket::Device;
using frisket::Layout;
using frisket::MaskedTensor;
using frisket::Shape;
using frisket::Tensor;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t float_bytes = 4;
/// A device moves whole sectors of memory.
constexpr std::int64_t sector_bytes = 32, sector_elements = sector_bytes / float_bytes;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Seconds of a call on a device: the best batch of some, each long enough for the clock.
double seconds_of(const Device& device, double seconds, const std::function<void()>& call) {
    const auto batch = [&](int calls) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) call();
        frisket::synchronize(device);
        return since(start) / calls;
    };
    batch(2);  // loops are loaded at the first call
    const double once = batch(1);
    const int calls = std::clamp(static_cast<int>(seconds / 20 / std::max(once, 1e-7)), 1, 1000);
    double best = once;
    for (const auto start = Clock::now(); since(start) < seconds;) best = std::min(best, batch(calls));
    return best;
}

/// Sectors in which a mask specifies an element.
std::int64_t sectors_of(const Tensor<bool>& mask) {
    std::int64_t sectors = 0;
    for (std::int64_t first = 0; first < mask.size(); first += sector_elements) {
        const bool* const begin = mask.data() + first;
        const std::int64_t count = std::min(sector_elements, mask.size() - first);
        if (std::any_of(begin, begin + count, [](bool is_set) { return is_set; })) ++sectors;
    }
    return sectors;
}

/// A masked tensor of a device, whose mask is of bits.
MaskedTensor<float> masked_bits(const Tensor<bool>& mask, const Device& device) {
    return MaskedTensor<float>(
               frisket::AnyMasked::strided(random_numbers(mask.shape(), 3), mask).to(Layout::bitmask))
        .to(device);
}

/// Rows of a table at distinct random indices.
MaskedTensor<float> listed_rows(const Shape& shape, std::int64_t count, const Device& device) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < count; ++i) rows.push_back(i * shape[0] / count);
    return MaskedTensor<float>(frisket::AnyMasked::rows(shape, rows, random_numbers({count, shape[1]}, 3)))
        .to(device);
}

class Measurement {
public:
    Measurement(const Device& device, const Sizes& sizes) : device_(device), sizes_(sizes) {}

    std::vector<Speed> all() {
        copy();
        adam();
        for (const int percent : {1, 10, 50, 100}) adagrad(percent);
        listed();
        softmax();
        sampled();
        return std::move(speeds_);
    }

private:
    void add(const std::string& name, std::int64_t bytes, const std::function<void()>& call) {
        speeds_.push_back({name, bytes, seconds_of(device_, sizes_.seconds, call)});
    }
    Tensor<float> numbers(const Shape& shape, std::uint64_t seed) const {
        return random_numbers(shape, seed).to(device_);
    }
    Tensor<float> filled(const Shape& shape, float value) const {
        return frisket::full<float>(shape, value).to(device_);
    }

    void copy() {
        const Tensor<float> from = filled({sizes_.elements}, 1), to = filled({sizes_.elements}, 2);
        add("copy", 2 * float_bytes * sizes_.elements, [&] { frisket::copy(from, to); });
    }
    void adam() {
        const Shape shape{sizes_.elements};
        const auto p = numbers(shape, 1), m = numbers(shape, 2), v = filled(shape, 0.5f),
                   g = numbers(shape, 3);
        add("Adam, dense", 7 * float_bytes * sizes_.elements, [&] {
            gpu_kernels::adam(param = p, exp_avg = m, exp_avg_sq = v, slope = g, lr = 1e-3, eps = 1e-8,
                              correction1 = 0.1, correction2 = 1e-3);
        });
    }
    void adagrad(int percent) {
        const Shape shape{sizes_.elements};
        const Tensor<bool> mask = random_mask(shape, percent == 100 ? 2 : percent / 100.0);
        const auto p = numbers(shape, 1), s = filled(shape, 0.5f);
        const auto g = masked_bits(mask, device_);
        add("Adagrad, bits, " + std::to_string(percent) + " %",
            5 * sector_bytes * sectors_of(mask) + sizes_.elements / 8,
            [&] { gpu_kernels::adagrad(param = p, state_sum = s, grad = g, lr = 0.1, eps = 1e-10); });
    }
    void listed() {
        constexpr std::int64_t columns = 128;
        const Shape shape{sizes_.rows, columns};
        const auto p = filled(shape, 1), s = filled(shape, 0.5f), sums = filled({sizes_.rows, 1}, 0.5f);
        const auto g = listed_rows(shape, sizes_.listed_rows, device_);
        const std::int64_t elements = sizes_.listed_rows * columns;
        add("Adagrad, listed rows", 5 * float_bytes * elements,
            [&] { gpu_kernels::adagrad(param = p, state_sum = s, grad = g, lr = 0.1, eps = 1e-10); });
        add("row-wise Adagrad, listed rows",
            3 * float_bytes * elements + 2 * sector_bytes * sizes_.listed_rows,
            [&] { gpu_kernels::row_wise(param = p, row_sum = sums, grad = g, lr = 0.1, eps = 1e-10); });
    }
    void softmax() {
        constexpr std::int64_t columns = 1024;
        const auto x = numbers({sizes_.soft_rows, columns}, 4);
        add("softmax of rows", 2 * float_bytes * sizes_.soft_rows * columns,
            [&] { static_cast<void>(gpu_kernels::soft(logits = x)); });
    }
    void sampled() {
        constexpr std::int64_t rank = 64;
        const Shape shape{sizes_.sampled, sizes_.sampled};
        const auto places = random_masked(shape, Layout::strided, 0.01).to(device_);
        const auto u = numbers({sizes_.sampled, rank}, 5), v = numbers({sizes_.sampled, rank}, 6);
        const std::int64_t elements = sizes_.sampled * sizes_.sampled;
        add("sampled product, rank 64, 1 %",
            elements * (1 + float_bytes) + 2 * float_bytes * sizes_.sampled * rank,
            [&] { static_cast<void>(gpu_kernels::sampled(ratings = places, users = u, items = v)); });
    }

    const Device device_;
    const Sizes sizes_;
    std::vector<Speed> speeds_;
};

}  // namespace

std::vector<Speed> measure(const Device& device, const Sizes& sizes) {
    return Measurement(device, sizes).all();
}

}  // namespace gpu_check
