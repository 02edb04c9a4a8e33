// SPDX-License-Identifier: MIT
#include "../../../runtime/io/dlpack.hpp"
#include "../../../runtime/tensor/masked_tensor.hpp"
#include "input.hpp"

#include <dlpack/dlpack.h>

#include <vector>

using namespace frisket;
using namespace frisket::testing;

namespace {

int deletions = 0;

/// Bytes from a tensor's first to past its last, as its struct specifies; 0 if that is more than is tried.
std::int64_t span_of(const DLTensor& tensor, std::int64_t& below) {
    constexpr std::int64_t most = 1 << 16;
    const std::int64_t bytes = tensor.dtype.bits / 8;
    std::int64_t begin = 0, end = bytes, contiguous = 1;
    for (int d = tensor.ndim; d-- > 0;) {
        const std::int64_t extent = tensor.shape[d];
        if (extent <= 0) return 0;
        const std::int64_t stride = tensor.strides != nullptr ? tensor.strides[d] : contiguous;
        std::int64_t reach = 0, span = 0;
        if (__builtin_mul_overflow(extent - 1, stride, &reach) ||
            __builtin_mul_overflow(reach, bytes, &reach) ||
            __builtin_add_overflow(reach < 0 ? begin : end, reach, reach < 0 ? &begin : &end) ||
            __builtin_sub_overflow(end, begin, &span) ||
            __builtin_mul_overflow(contiguous, extent, &contiguous) || span > most || contiguous > most)
            return 0;
    }
    below = -begin;
    return end - begin;
}

/// Reads all of a tensor.
void read(const AnyTensor& tensor) {
    if (tensor.size() > 1 << 16) return;
    if (!same(tensor.clone(), tensor)) std::abort();
}

template <class Managed>
void take(Managed& managed, bool is_readable) {
    deletions = 0;
    managed.deleter = [](Managed* /*self*/) { ++deletions; };
    bool is_taken = false;
    expect_error_or_nothing([&] {
        const AnyTensor tensor = from_dlpack(&managed);
        is_taken = true;
        if (is_readable) read(tensor);
    });
    if (deletions != (is_taken ? 1 : 0)) std::abort();
}

}  // namespace

/// A struct whose memory is as it specifies, and whose other fields are anything.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    InputNumbers input(data, size);
    DLTensor tensor{};
    const std::int64_t rank = input.number();
    tensor.ndim = static_cast<std::int32_t>(rank);
    std::vector<std::int64_t> shape, strides;
    for (std::int64_t d = 0; d < rank && d < 64; ++d) {
        shape.push_back(input.number());
        strides.push_back(input.number());
    }
    tensor.shape = shape.empty() ? nullptr : shape.data();
    tensor.strides = input.byte() % 2 == 0 ? strides.data() : nullptr;
    const std::uint8_t code = input.byte(), bits = input.byte(), lanes = input.byte();
    constexpr std::uint8_t widths[] = {8, 16, 32, 64};
    tensor.dtype = {code, bits < 128 ? widths[bits % 4] : bits,
                    static_cast<std::uint16_t>(lanes < 200 ? 1 : lanes)};
    tensor.device = {static_cast<DLDeviceType>(input.byte() < 230 ? std::uint8_t{kDLCPU} : input.byte()),
                     static_cast<std::int32_t>(input.number())};
    std::int64_t below = 0;
    // A rank that the lists do not have must be refused before they are read.
    const bool is_small = rank >= 0 && rank < 64;
    const std::int64_t bytes = is_small ? span_of(tensor, below) : 0;
    tensor.byte_offset = input.byte() < 200 ? input.byte() % 16 : static_cast<std::uint64_t>(input.number());
    const std::uint64_t offset = tensor.byte_offset < 16 ? tensor.byte_offset : 0;
    std::vector<std::uint8_t> memory(static_cast<std::size_t>(bytes) + offset, 1);
    const bool is_readable = bytes > 0 && tensor.byte_offset < 16;
    // Memory outside the struct's description must not be readable: a read of it ends the process.
    tensor.data = is_readable             ? memory.data() + below
                  : input.byte() % 2 == 0 ? nullptr
                                          : reinterpret_cast<void*>(std::uintptr_t{16});
    if (input.byte() % 2 == 0) {
        DLManagedTensor managed{};
        managed.dl_tensor = tensor;
        take(managed, is_readable);
    } else {
        DLManagedTensorVersioned managed{};
        managed.version = {static_cast<std::uint32_t>(input.byte() < 230 ? 1 : input.byte()), input.byte()};
        managed.flags = input.byte();
        managed.dl_tensor = tensor;
        take(managed, is_readable);
    }
    return 0;
}
