// SPDX-License-Identifier: MIT
#include "checks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include <gpu_kernels.hpp>

#include "data.hpp"

namespace gpu_check {

namespace {

using frisket::Device;
using frisket::Layout;
using frisket::Shape;
using frisket::Tensor;

/// The place of a float among all in ascending order.
std::int64_t place_of(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits < 0 ? std::int64_t{INT32_MIN} - bits : bits;
}

using Values = std::vector<float>;

void compare(const Values& wanted, const Values& found, Check& check) {
    check.elements += std::ssize(wanted);
    if (found.size() != wanted.size()) check.most_ulp = INT64_MAX;
    for (std::size_t i = 0; i < std::min(wanted.size(), found.size()); ++i) {
        const bool are_nan = std::isnan(wanted[i]) && std::isnan(found[i]);
        if (are_nan || std::bit_cast<std::int32_t>(wanted[i]) == std::bit_cast<std::int32_t>(found[i]))
            continue;
        ++check.differing;
        const bool is_other_kind = std::isnan(wanted[i]) != std::isnan(found[i]);
        check.most_ulp = std::max(
            check.most_ulp, is_other_kind ? INT64_MAX : std::abs(place_of(wanted[i]) - place_of(found[i])));
    }
}

Values read(const Tensor<float>& tensor) { return tensor.to(Device()).to_vector(); }

Values joined(std::initializer_list<Values> parts) {
    Values all;
    for (const Values& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Values run_adam(const Shape& shape, const Device& device) {
    const auto p = random_numbers(shape, 1).to(device), m = random_numbers(shape, 2).to(device),
               v = frisket::full<float>(shape, 0.5f).to(device), g = random_numbers(shape, 3).to(device);
    gpu_kernels::adam(param = p, exp_avg = m, exp_avg_sq = v, slope = g, lr = 1e-3, eps = 1e-8,
                      correction1 = 0.1, correction2 = 1e-3);
    return joined({read(p), read(m), read(v)});
}

Values run_adagrad(const Shape& shape, Layout layout, const Device& device) {
    const auto p = random_numbers(shape, 1).to(device), s = frisket::full<float>(shape, 0.5f).to(device);
    const auto g = random_masked(shape, layout, 0.3).to(device);
    gpu_kernels::adagrad(param = p, state_sum = s, grad = g, lr = 0.1, eps = 1e-10);
    return joined({read(p), read(s)});
}

Values run_row_wise(const Shape& shape, Layout layout, const Device& device) {
    const auto p = random_numbers(shape, 1).to(device),
               s = frisket::full<float>({shape[0], 1}, 0.5f).to(device);
    const auto g = random_masked(shape, layout, 0.3).to(device);
    gpu_kernels::row_wise(param = p, row_sum = s, grad = g, lr = 0.1, eps = 1e-10);
    return joined({read(p), read(s)});
}

Values run_soft(const Shape& shape, const Device& device) {
    return read(gpu_kernels::soft(logits = random_numbers(shape, 4).to(device)));
}

Values run_sampled(const Shape& shape, const Device& device) {
    const auto places = random_masked(shape, Layout::strided, 0.2).to(device);
    const auto u = random_numbers({shape[0], 16}, 5).to(device),
               v = random_numbers({shape[1], 16}, 6).to(device);
    const auto made = gpu_kernels::sampled(ratings = places, users = u, items = v);
    const auto here = made.to(Device());
    const Values values = read(Tensor<float>(here.values()));
    const auto mask = here.mask_tensor();
    Values specified;
    for (std::int64_t i = 0; i < std::ssize(values); ++i)
        if (mask.data()[i]) specified.push_back(values[static_cast<std::size_t>(i)]);
    return specified;
}

}  // namespace

std::vector<Check> run_checks(const Device& device) {
    const Shape shapes[] = {{1, 1}, {1, 63}, {8, 8}, {5, 13}, {1, 65}, {37, 129}, {300, 64}};
    std::vector<Check> all;
    const auto add = [&](const std::string& name,
                         const std::function<Values(const Shape&, const Device&)>& run) {
        Check& check = all.emplace_back(Check{.name = name});
        for (const Shape& shape : shapes) compare(run(shape, Device()), run(shape, device), check);
    };
    add("Adam", run_adam);
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows}) {
        const std::string name(frisket::name_of(layout));
        add("Adagrad, " + name, [&](const Shape& s, const Device& d) { return run_adagrad(s, layout, d); });
        add("row-wise Adagrad, " + name,
            [&](const Shape& s, const Device& d) { return run_row_wise(s, layout, d); });
    }
    add("softmax of rows", run_soft);
    add("sampled product", run_sampled);
    return all;
}

}  // namespace gpu_check
