// SPDX-License-Identifier: MIT
#include <array>
#include <mutex>
#include <string>

#include "../support/fork.hpp"
#include "../support/made_once.hpp"
#include "../tensor/overlap.hpp"
#include "../tensor/reach.hpp"
#include "../tensor/tensor.hpp"
#include "device_memory.hpp"

/// Tensors of devices: how they are made, moved and copied.
namespace frisket {

using namespace runtime;

namespace {

std::string described(DType dtype, const Shape& shape) {
    return "a tensor of " + std::string(name_of(dtype)) + ", shape " + to_string(shape) + ",";
}

std::int64_t byte_count(const AnyTensor& tensor) { return tensor.size() * bytes_of(tensor.dtype()); }

/// The memory of a tensor with gaps, from its first byte to its last, on the processor.
AnyTensor downloaded_with_gaps(const AnyTensor& tensor) {
    const ByteRange range = byte_range(tensor);
    const auto bytes = static_cast<std::int64_t>(range.end - range.begin);
    const AnyTensor all(DType::uint8, {bytes});
    download(reinterpret_cast<const void*>(range.begin), all.data(), bytes);
    auto* const first = static_cast<std::byte*>(all.data()) +
                        (reinterpret_cast<std::uintptr_t>(tensor.address()) - range.begin);
    return {tensor.dtype(), first, tensor.shape(), tensor.strides(), false, all.owner()};
}

void check_without_gaps(const AnyTensor& tensor) {
    if (!tensor.is_contiguous())
        throw ValueError("copy: between the processor and a device, and the tensor of shape " +
                         to_string(tensor.shape()) + " has gaps (strides " + to_string(tensor.strides()) +
                         "): move a clone() of it with to()");
}

}  // namespace

namespace detail {

void refuse_on_device(const void* address) {
    throw TargetError("a tensor on device " + std::string(device_of(address).name()) +
                      " was read on the processor: move it there with .to(device(\"cpu\"))");
}

void copy_of_device(const AnyTensor& from, const AnyTensor& to) {
    const Device source = from.device(), target = to.device();
    if (source != target) {
        check_without_gaps(to);
        if (source.is_cpu()) {
            check_without_gaps(from);
            return upload(from.address(), to.address(), byte_count(from));
        }
        const AnyTensor host = from.to(Device());
        return target.is_cpu() ? copy(host, to) : copy_of_device(host, to);
    }
    const AnyTensor apart = overlap(from, to) != Overlap::none ? from.clone() : from;
    if (from.is_contiguous() && to.is_contiguous()) {
        const std::int64_t one[] = {1}, count[] = {from.size()};
        return copy_on_device({apart.address(), one}, {to.address(), one}, count, from.dtype());
    }
    copy_on_device({apart.address(), apart.strides()}, {to.address(), to.strides()}, from.shape(),
                   from.dtype());
}

}  // namespace detail

Device AnyTensor::device() const noexcept { return device_of(data_); }

AnyTensor empty(DType dtype, Shape shape, const Device& device) {
    if (device.is_cpu()) return {dtype, std::move(shape)};
    const std::int64_t size = element_count(shape);
    if (size > most_bytes / bytes_of(dtype)) return {dtype, std::move(shape)};  // refuses it
    Strides strides = contiguous_strides(shape);
    void* address = nullptr;
    std::shared_ptr<void> owner =
        device_block(device, size * bytes_of(dtype), described(dtype, shape), address);
    return {dtype, address, std::move(shape), std::move(strides), true, std::move(owner)};
}

AnyTensor AnyTensor::to(const frisket::Device& device) const {
    check_not_moved("to");
    const frisket::Device here = this->device();
    if (device == here) return *this;
    if (device.is_cpu()) {
        if (!contiguous_ && size_ > 0) return downloaded_with_gaps(*this).clone();
        AnyTensor made(dtype_, shape());
        if (size_ > 0) download(data_, made.data_, byte_count(*this));
        return made;
    }
    if (!here.is_cpu()) return to(frisket::Device()).to(device);
    if (!contiguous_) return clone().to(device);
    AnyTensor made = empty(dtype_, shape(), device);
    if (size_ > 0) upload(data_, made.data_, byte_count(*this));
    return made;
}

void synchronize(const frisket::Device& device) {
    if (!device.is_cpu()) wait_for_device(bool_on(device, true));
}

namespace runtime {

const void* bool_on(const Device& device, bool value) {
    static std::array<std::array<const void*, 2>, 256> made{};
    static constinit runtime::Mutex mutex;
    // Never destroyed, as devices live as long as the process.
    auto& held = made_once([] { return std::vector<AnyTensor>(); });
    const std::scoped_lock lock(mutex);
    const void*& known = made[static_cast<std::size_t>(device.number())][value ? 1 : 0];
    if (known == nullptr) {
        held.push_back(AnyTensor(full<bool>({}, value)).to(device));
        known = held.back().address();
    }
    return known;
}

}  // namespace runtime

}  // namespace frisket
