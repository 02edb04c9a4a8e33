// SPDX-License-Identifier: MIT
#include "../../../runtime/io/dlpack.hpp"

#include <dlpack/dlpack.h>

#include <atomic>
#include <optional>
#include <thread>

#include "../../support/matchers.hpp"

namespace dlpack_export_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A tensor whose memory tells when it is let go.
Tensor<float> counted(float* memory, Shape shape, Strides strides, std::atomic<int>& deletions) {
    return Tensor<float>::view(memory, std::move(shape), std::move(strides), [&deletions] { ++deletions; });
}

std::vector<std::int64_t> listed(const std::int64_t* numbers, int count) {
    return {numbers, numbers + count};
}

}  // namespace

TEST_CASE("an export says what the tensor is, without a copy") {
    const Tensor<double> tensor = arange<double>(6).reshape({2, 3}).transpose(0, 1);
    const auto check = [&](auto* managed) {
        const DLTensor& found = managed->dl_tensor;
        CHECK(found.data == tensor.data());
        CHECK(found.device.device_type == kDLCPU);
        CHECK(found.device.device_id == 0);
        CHECK(found.dtype.code == kDLFloat);
        CHECK(found.dtype.bits == 64);
        CHECK(found.dtype.lanes == 1);
        CHECK(found.byte_offset == 0);
        CHECK(listed(found.shape, found.ndim) == Shape{3, 2});
        CHECK(listed(found.strides, found.ndim) == Strides{1, 3});
        managed->deleter(managed);
    };
    DLManagedTensorVersioned* const managed = to_dlpack(tensor);
    CHECK(managed->version.major == DLPACK_MAJOR_VERSION);
    CHECK(managed->version.minor == DLPACK_MINOR_VERSION);
    CHECK(managed->flags == 0);
    check(managed);
    check(to_dlpack_legacy(tensor));
}

TEST_CASE("the codes of exported dtypes are those of DLPack") {
    const auto code_of = [](DType dtype) {
        DLManagedTensorVersioned* const managed = to_dlpack(AnyTensor(dtype, {1}));
        const int code = managed->dl_tensor.dtype.code;
        managed->deleter(managed);
        return code;
    };
    CHECK(code_of(DType::boolean) == kDLBool);
    CHECK(code_of(DType::uint8) == kDLUInt);
    CHECK(code_of(DType::int32) == kDLInt);
    CHECK(code_of(DType::int64) == kDLInt);
    CHECK(code_of(DType::float32) == kDLFloat);
    CHECK(code_of(DType::float64) == kDLFloat);
    CHECK(code_of(DType::float16) == kDLFloat);
    CHECK(code_of(DType::bfloat16) == kDLBfloat);
}

TEST_CASE("an export keeps the memory alive until its deleter is called") {
    float memory[4] = {1, 2, 3, 4};
    std::atomic<int> deletions{0};
    auto tensor = std::optional(counted(memory, {2, 2}, {2, 1}, deletions));
    DLManagedTensorVersioned* const managed = to_dlpack(*tensor);
    DLManagedTensor* const legacy = to_dlpack_legacy(*tensor);
    tensor.reset();
    CHECK(deletions == 0);
    managed->deleter(managed);
    CHECK(deletions == 0);
    legacy->deleter(legacy);
    CHECK(deletions == 1);
}

TEST_CASE("a tensor without elements goes as a null pointer, one without dimensions as one element") {
    DLManagedTensorVersioned* managed = to_dlpack(AnyTensor(DType::int32, {2, 0}));
    CHECK(managed->dl_tensor.data == nullptr);
    CHECK(listed(managed->dl_tensor.shape, managed->dl_tensor.ndim) == Shape{2, 0});
    CHECK(from_dlpack(managed).shape() == Shape{2, 0});

    managed = to_dlpack(Tensor<float>(Shape{}, {7}));
    CHECK(managed->dl_tensor.ndim == 0);
    CHECK(Tensor<float>(from_dlpack(managed)).at({}) == 7);
    CHECK(from_dlpack(to_dlpack(AnyTensor())).shape() == Shape{0});
}

TEST_CASE("a read-only tensor goes with its flag, or not at all") {
    const AnyTensor repeated = ones<float>({3}).broadcast_to({2, 3});
    DLManagedTensorVersioned* const managed = to_dlpack(repeated);
    CHECK(managed->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
    CHECK(listed(managed->dl_tensor.strides, 2) == Strides{0, 1});
    managed->deleter(managed);
    CHECK_THROWS_MATCHES(to_dlpack_legacy(repeated), ValueError,
                         Says("to_dlpack_legacy: the tensor is read-only, which DLManagedTensor cannot say: "
                              "use to_dlpack, or clone() it"));
}

TEST_CASE("there and back again it is the same tensor, for every dtype and any strides") {
    const auto check = [](const AnyTensor& tensor) {
        const AnyTensor back = from_dlpack(to_dlpack(tensor)), legacy = from_dlpack(to_dlpack_legacy(tensor));
        for (const AnyTensor& found : {back, legacy}) {
            CHECK(found.data() == tensor.data());
            CHECK(found.strides() == tensor.strides());
            CHECK(found.is_writable());
            CHECK_THAT(found, HasTheBytesOf(tensor));
        }
    };
    for (const DTypeInfo& row : dtypes) {
        const AnyTensor tensor(row.dtype, {4, 5, 3});
        auto* const bytes = static_cast<std::uint8_t*>(tensor.data());
        for (std::int64_t i = 0; i < tensor.size() * row.bytes; ++i)
            bytes[i] = static_cast<std::uint8_t>(i % 2);
        check(tensor);
        check(tensor.transpose(0, 2));
        check(tensor.slice(1, 1, 4, 2).slice(0, 1, 2));
    }
}

TEST_CASE("exports may be made, imported and let go in any thread") {
    float memory[2] = {1, 2};
    std::atomic<int> deletions{0};
    {
        const Tensor<float> tensor = counted(memory, {2}, {1}, deletions);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&tensor] {
                for (int i = 0; i < 200; ++i) (void)from_dlpack(to_dlpack(tensor)).size();
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(deletions == 0);
    }
    CHECK(deletions == 1);
}

}  // namespace dlpack_export_test
