// SPDX-License-Identifier: MIT
// Training on a device: parameters, data and the optimizer's state live there, and no call moves a tensor.
// Without an OpenCL device the same program runs on the processor.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>
#include <cstdio>
using namespace frisket;

int main() {
    // [mistake]
    try {
        device("gpu");
    } catch (const TargetError& error) { std::printf("%s\n\n", error.what()); }
    // [/mistake]

    const Device here = [] {
        try {
            return device("opencl");
        } catch (const TargetError&) { return Device(); }
    }();

    // y = x w + b for 256 points of 8 numbers.
    constexpr std::int64_t points = 256, numbers = 8;
    Tensor<float> x({points, numbers}), y({points, 1});
    for (std::int64_t i = 0; i < points; ++i) {
        for (std::int64_t k = 0; k < numbers; ++k)
            x.at({i, k}) = static_cast<float>((i * 7 + k * 13) % 17) / 17 - 0.5f;
        y.at({i, 0}) = 2 * x.at({i, 0}) - 3 * x.at({i, 5}) + 0.25f;
    }
    // [device]
    x = x.to(here), y = y.to(here);
    const Tensor<float> w = zeros<float>({numbers, 1}, here), b = zeros<float>({1}, here);

    const auto loss = mean(square(matmul(x, w) + b - y));
    optim::Optimizer adam(optim::Adam{.lr = 0.05}, {{"w", w}, {"b", b}});
    // [/device]
    const float first = eval(loss).item();
    for (int step = 0; step < 20; ++step) adam.minimize(loss);  // compiles its loops

    const DeviceUse before = device_use(here);
    for (int step = 0; step < 200; ++step) {
        const auto [of_w, of_b] = eval(gradient(loss, w), gradient(loss, b));
        adam.step({of_w, of_b});
    }
    const DeviceUse after = device_use(here);
    std::printf("loss: %.2f, after training below 0.01: %s\n", first,
                eval(loss).item() < 0.01f ? "yes" : "no");
    std::printf("bytes moved by 200 steps: %lld\n",
                static_cast<long long>(after.bytes_uploaded - before.bytes_uploaded + after.bytes_downloaded -
                                       before.bytes_downloaded));
}

// Output:
// frisket: target: there is no target "gpu": there are cpu, x86-64, x86-64-avx2, x86-64-avx512, arm-64, opencl, cuda, vulkan
//
// loss: 1.04, after training below 0.01: yes
// bytes moved by 200 steps: 0
