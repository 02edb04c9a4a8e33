// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/dlpack.hpp>
#include <frisket/frisket.hpp>

#include <dlfcn.h>
#include <dlpack/dlpack.h>

#include <array>
#include <memory>

namespace device_dlpack_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"x"> x;
constexpr In<"y"> y;
constexpr auto add = step<"add">(x += y);

struct Deleter {
    void operator()(DLManagedTensorVersioned* managed) const { managed->deleter(managed); }
};
using Lent = std::unique_ptr<DLManagedTensorVersioned, Deleter>;

/// Functions of the machine's OpenCL library, which has no header here.
struct OpenCl {
    void* library = dlopen("libOpenCL.so.1", RTLD_NOW);
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(dlsym(library, name));
    }
    /// The context of memory, a cl_context.
    void* context_of(void* memory) const {
        constexpr unsigned of_memory = 0x1106;  // CL_MEM_CONTEXT
        void* context = nullptr;
        const auto info =
            function<int(void*, unsigned, std::size_t, void*, std::size_t*)>("clGetMemObjectInfo");
        CHECK(info(memory, of_memory, sizeof context, &context, nullptr) == 0);
        return context;
    }
    void* create(void* context, std::size_t bytes) const {
        int status = -1;
        const auto create = function<void*(void*, std::uint64_t, std::size_t, void*, int*)>("clCreateBuffer");
        void* const memory = create(context, 1, bytes, nullptr, &status);
        CHECK(status == 0);
        return memory;
    }
    void release(void* memory) const { CHECK(function<int(void*)>("clReleaseMemObject")(memory) == 0); }
};

/// Memory of the test's own as another library exports it.
struct Foreign {
    OpenCl driver;
    std::vector<std::int64_t> shape, strides;
    int deleted = 0;
    DLManagedTensorVersioned managed{};

    Foreign(const Device& device, std::size_t bytes, Shape extents, Strides steps, std::uint64_t offset)
        : shape(std::move(extents)), strides(std::move(steps)) {
        const Lent any(to_dlpack(zeros<float>({1}, device)));
        managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
        managed.dl_tensor = {.data = driver.create(driver.context_of(any->dl_tensor.data), bytes),
                             .device = {kDLOpenCL, 0},
                             .ndim = static_cast<std::int32_t>(shape.size()),
                             .dtype = {kDLFloat, 32, 1},
                             .shape = shape.data(),
                             .strides = strides.data(),
                             .byte_offset = offset};
        managed.manager_ctx = this;
        managed.deleter = [](DLManagedTensorVersioned* self) {
            auto& own = *static_cast<Foreign*>(self->manager_ctx);
            ++own.deleted;
            own.driver.release(self->dl_tensor.data);
        };
    }
};

}  // namespace

TEST_CASE("memory of a device is lent, and taken, without a copy", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> start = random_tensor({6, 8}, 1), moved = start.to(gpu);
    const std::int64_t in_use = device_use(gpu).bytes_in_use;
    {
        const Lent lent(to_dlpack(moved.slice(0, 1, 6, 2)));
        CHECK(lent->dl_tensor.device.device_type == (there_name() == "cuda" ? kDLCUDA : kDLOpenCL));
        CHECK(lent->dl_tensor.data != nullptr);
        CHECK(lent->dl_tensor.byte_offset == 8 * sizeof(float));
        CHECK(lent->dl_tensor.strides[0] == 16);
    }
    const DeviceUse use = use_of(gpu, [&] {
        const Tensor<float> again(from_dlpack(to_dlpack(moved.slice(0, 1, 6, 2))));
        CHECK(again.device() == gpu);
        CHECK(again.shape() == Shape{3, 8});
        jit(add)(x = again, y = again.clone());
    });
    CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
    CHECK(device_use(gpu).bytes_in_use == in_use);
    const Tensor<float> wanted = start.clone(), rows = wanted.slice(0, 1, 6, 2);
    jit(add)(x = rows, y = rows.clone());
    CHECK(same(moved.to(Device()), wanted));
}

TEST_CASE("a kernel steps memory that the caller made on a device", "[opencl]") {
    const Device gpu = there();
    if (there_name() != "opencl") SKIP("this makes memory by functions of OpenCL");
    Foreign given(gpu, 100 * sizeof(float), {4, 5}, {9, 1}, 7 * sizeof(float));
    const Tensor<float> start = random_tensor({4, 5}, 1), other = random_tensor({4, 5}, 2);
    {
        const Tensor<float> taken(from_dlpack(&given.managed));
        CHECK(taken.device() == gpu);
        copy(start.to(gpu), taken);
        jit(add)(x = taken, y = other.to(gpu));
        const Tensor<float> wanted = start.clone();
        jit(add)(x = wanted, y = other);
        CHECK(same(taken.to(Device()), wanted));
        const Lent lent(to_dlpack(taken));
        CHECK(lent->dl_tensor.data == given.managed.dl_tensor.data);
        CHECK(lent->dl_tensor.byte_offset == given.managed.dl_tensor.byte_offset);
        CHECK(given.deleted == 0);
    }
    CHECK(given.deleted == 1);
}

TEST_CASE("memory of a device that cannot be taken stays the caller's", "[opencl]") {
    const Device gpu = there();
    if (there_name() != "opencl") SKIP("this makes memory by functions of OpenCL");
    Foreign given(gpu, 64, {4}, {-1}, 2 * sizeof(float));
    CHECK_THROWS_MATCHES(
        from_dlpack(&given.managed), ValueError,
        Says("from_dlpack: shape [4], strides [-1] and a byte offset of 8 lead out of the memory of device "
             "opencl: give those of the memory"));
    given.managed.dl_tensor.byte_offset = 3 * sizeof(float) + 1;
    CHECK_THROWS_AS(from_dlpack(&given.managed), ValueError);
    given.managed.dl_tensor.byte_offset = 12;
    given.managed.dl_tensor.device.device_id = 1;
    CHECK_THROWS_AS(from_dlpack(&given.managed), TargetError);
    given.managed.dl_tensor.device.device_id = 0;
    given.managed.dl_tensor.data = nullptr;
    CHECK_THROWS_AS(from_dlpack(&given.managed), ValueError);
    CHECK(given.deleted == 0);
}

}  // namespace device_dlpack_test
