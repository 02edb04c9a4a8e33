// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <array>

/// Random programs of writes, views, moves and calls: a device has the bytes that the processor has.
namespace device_programs_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"x"> x;
constexpr In<"y"> y;
constexpr Masked<"m"> m;
constexpr Scalar<"a"> a;
constexpr auto add = step<"add">(x += a * y);
constexpr auto add_masked = step<"add_masked">(x = m + a);

/// Two handles of one shape: memory on the processor, and memory that should have the same bytes.
struct Pair { Tensor<float> here, there; };

/// A machine with a few tensors, on which programs run.
class Machine {
public:
    Machine(std::uint32_t seed, const Device& device) : random_(seed), device_(device) {
        for (int i = 0; i < 3; ++i) renew(i);
    }

    void run(int instructions) {
        for (int i = 0; i < instructions; ++i) step_once();
    }
    bool is_same() const {
        return std::ranges::all_of(
            pairs_, [](const Pair& one) { return same(one.there.to(Device()), one.here.clone()); });
    }

private:
    int any() { return static_cast<int>(random_.below(std::ssize(pairs_))); }
    Shape shape() { return {1 + random_.below(7), 1 + random_.below(40)}; }
    Tensor<float> fresh(const Shape& shape) { return random_tensor(shape, static_cast<int>(++made_)); }
    void renew(int i) {
        const Tensor<float> made = fresh(shape());
        pairs_[static_cast<std::size_t>(i)] = {made, made.to(device_)};
    }
    /// A part of both, the same.
    Pair view(const Pair& of) {
        const auto dim = static_cast<int>(random_.below(2));
        const std::int64_t extent = of.here.shape()[static_cast<std::size_t>(dim)];
        const std::int64_t begin = random_.below(extent), step = 1 + random_.below(3);
        Pair part{of.here.slice(dim, begin, extent, step), of.there.slice(dim, begin, extent, step)};
        if (random_.below(3) == 0) part = {part.here.transpose(0, 1), part.there.transpose(0, 1)};
        return part;
    }
    MaskedTensor<float> masked_like(const Tensor<float>& like) {
        constexpr std::array layouts{Layout::strided, Layout::bitmask, Layout::coo, Layout::csr};
        return random_masked(like.shape(), specified(0.4),
                             layouts[static_cast<std::size_t>(random_.below(std::ssize(layouts)))],
                             static_cast<int>(++made_));
    }

    void step_once() {
        const Pair& one = pairs_[static_cast<std::size_t>(any())];
        const Pair part = random_.below(2) == 0 ? view(one) : one;
        switch (random_.below(7)) {
            case 0: return renew(any());
            case 1: {  // a write on the processor, moved
                const Tensor<float> written = fresh(one.here.shape());
                copy(written, one.here);
                return copy(one.there.is_contiguous() ? written : written.to(device_), one.there);
            }
            case 2: {  // a write on the device
                const Tensor<float> written = fresh(part.here.shape());
                copy(written, part.here);
                return copy(written.to(device_), part.there);
            }
            case 3: {  // a handle more
                pairs_[static_cast<std::size_t>(any())] = part;
                return;
            }
            case 4: {  // there and back
                pairs_[static_cast<std::size_t>(any())] = {part.here.clone(),
                                                           part.there.to(Device()).to(device_)};
                return;
            }
            case 5: {
                const Tensor<float> other = fresh(part.here.shape());
                jit(add)(x = part.here, y = other, a = 0.5);
                return jit(add)(x = part.there, y = other.to(device_), a = 0.5);
            }
            default: {
                const MaskedTensor<float> mask = masked_like(part.here);
                jit(add_masked)(x = part.here, m = mask, a = 0.25);
                return jit(add_masked)(x = part.there, m = mask.to(device_), a = 0.25);
            }
        }
    }

    Random random_;
    const Device device_;
    std::uint32_t made_ = 0;
    std::array<Pair, 3> pairs_;
};

/// Runs the programs of seeds from `first` on.
void check_programs(std::uint32_t first, std::uint32_t end) {
    const Device gpu = there();
    for (std::uint32_t seed = first; seed < end; ++seed) {
        CAPTURE(seed);
        Machine machine(seed, gpu);
        machine.run(12);
        REQUIRE(machine.is_same());
    }
}

}  // namespace

TEST_CASE("random programs leave the same bytes on a device", "[opencl]") { check_programs(0, 150); }

TEST_CASE("many random programs leave the same bytes on a device", "[opencl][deep]") {
    check_programs(150, 1000);
}

TEST_CASE("calls leave a device's memory as it was", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> moved = random_tensor({30, 70}, 1).to(gpu),
                        other = random_tensor({30, 70}, 2).to(gpu);
    const MaskedTensor<float> rows = random_masked({30, 70}, specified(0.3), Layout::bsr).to(gpu);
    const auto call = [&] {
        jit(add)(x = moved, y = other, a = 1e-3);
        jit(add_masked)(x = moved, m = rows, a = 1e-3);
    };
    call();
    const DeviceUse before = device_use(gpu);
    for (int i = 0; i < 5000; ++i) call();
    CHECK(device_use(gpu).bytes_in_use == before.bytes_in_use);
    CHECK(device_use(gpu).bytes_kept <= before.bytes_kept + 4096);
}

}  // namespace device_programs_test
