// SPDX-License-Identifier: MIT
#include <HalideRuntime.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "../tensor/error.hpp"
#include "device_kernels.hpp"
#include "device_memory.hpp"

/// Copies between the processor and a device, and within one.
namespace frisket::runtime {

namespace {

/// Bytes that one copy moves at most: buffers have extents of 32 bits.
constexpr std::int64_t most_at_once = std::int64_t{1} << 30;

void check(int status, const DeviceBlock& block, const char* what, const std::string& message) {
    if (status == 0) return;
    throw TargetError("device " + std::string(block.device.name()) + ": " + what + " failed with code " +
                      std::to_string(status) + ": " + message);
}

/// A buffer that begins at a place of a block.
class BufferAt {
public:
    /// Errors: TargetError.
    BufferAt(const DevicePlace& place, void* context) : functions_(place.block->driver->functions) {
        made_.device = place.block->handle;
        made_.device_interface = &functions_;
        if (place.offset == 0) return;
        std::array<halide_dimension_t, 2> all{{{0, 64, 1}, {0, rows(place.block->bytes), 64}}};
        std::array<halide_dimension_t, 2> part = all;
        part[0].min = static_cast<std::int32_t>(place.offset % 64);
        part[1].min = static_cast<std::int32_t>(place.offset / 64);
        halide_buffer_t whole = made_;
        for (halide_buffer_t* const buffer : {&whole, &made_}) {
            buffer->type = halide_type_t(halide_type_uint, 8);
            buffer->dimensions = 2;
        }
        whole.dim = all.data();
        made_.dim = part.data();
        made_.device = 0;
        made_.device_interface = nullptr;
        status_ = functions_.device_crop(context, &whole, &made_);
        is_crop_ = status_ == 0;
        context_ = context;
    }
    BufferAt(const BufferAt&) = delete;
    BufferAt& operator=(const BufferAt&) = delete;
    ~BufferAt() {
        if (is_crop_) functions_.device_release_crop(context_, &made_);
    }

    int status() const { return status_; }
    halide_buffer_t& with(halide_type_t type, std::span<halide_dimension_t> dims) {
        made_.type = type;
        made_.dimensions = static_cast<std::int32_t>(dims.size());
        made_.dim = dims.data();
        return made_;
    }

private:
    static std::int32_t rows(std::int64_t bytes) { return static_cast<std::int32_t>(bytes / 64); }

    const halide_device_interface_t& functions_;
    halide_buffer_t made_{};
    void* context_ = nullptr;
    int status_ = 0;
    bool is_crop_ = false;
};

/// Copies bytes between the processor and a device by one of the runtime's functions.
void move(const std::byte* host, const void* there, std::int64_t bytes, bool is_upload) {
    const DevicePlace place = device_place(there);
    const halide_device_interface_t& functions = place.block->driver->functions;
    for (std::int64_t done = 0; done < bytes; done += most_at_once) {
        std::string message;
        const auto body = [&](void* context) {
            BufferAt at({place.block, place.offset + done}, context);
            if (at.status() != 0) return at.status();
            halide_dimension_t dim{0, static_cast<std::int32_t>(std::min(bytes - done, most_at_once)), 1};
            halide_buffer_t& buffer = at.with(halide_type_t(halide_type_uint, 8), {&dim, 1});
            buffer.host = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(host + done));
            buffer.set_host_dirty(is_upload);
            buffer.set_device_dirty(!is_upload);
            const int status = is_upload ? functions.copy_to_device(context, &buffer, &functions)
                                         : functions.copy_to_host(context, &buffer);
            buffer.flags = 0;
            return status;
        };
        check(place.block->driver->call(body, message), *place.block,
              is_upload ? "copying to it" : "copying from it", message);
    }
    count_copies(place.block->device, is_upload ? bytes : 0, is_upload ? 0 : bytes);
}

}  // namespace

void upload(const void* from, void* to, std::int64_t bytes) {
    move(static_cast<const std::byte*>(from), to, bytes, true);
}

void download(const void* from, void* to, std::int64_t bytes) {
    move(static_cast<std::byte*>(to), from, bytes, false);
}

namespace {

/// A view of four dimensions.
struct View4 { std::array<std::int64_t, 4> extents{1, 1, 1, 1}, strides{}; };

/// Elements as a view of four dimensions; nothing if they have more that cannot be one.
std::optional<View4> four_dims(std::span<const std::int64_t> strides, std::span<const std::int64_t> shape) {
    View4 view;
    std::size_t used = 0;  // dimensions so far, innermost first
    const auto at = [&](std::size_t i) { return 3 - i; };
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (shape[d] == 1) continue;
        if (strides[d] < 0) return {};
        if (used > 0 && strides[d] == view.extents[at(used - 1)] * view.strides[at(used - 1)]) {
            view.extents[at(used - 1)] *= shape[d];
            continue;
        }
        if (used == 4) return {};
        view.extents[at(used)] = shape[d];
        view.strides[at(used++)] = strides[d];
    }
    return view;
}

/// Copies elements in short runs to the beginning of a block by a kernel: Halide's runtime asks the driver
/// for a copy of each run.  False: the elements are not in short runs.
bool copy_by_kernel(const DeviceElements& from, const DeviceElements& to, std::span<const std::int64_t> shape,
                    DType dtype) {
    constexpr std::int64_t most_copies = 64;
    const Shape extents(shape.begin(), shape.end());
    const std::int64_t count = element_count(extents);
    const std::optional<View4> view = four_dims(from.strides, shape);
    const bool is_plain = device_place(to.first).offset == 0 && is_contiguous(extents, to.strides) &&
                          count <= std::numeric_limits<std::int32_t>::max();
    if (!view || !is_plain || count == 0) return false;
    const auto& [of, by] = *view;
    const std::int64_t run = by[3] == 1 ? of[3] : 1;
    if (count / run <= most_copies) return false;
    std::int64_t reach = 1;
    for (std::size_t d = 0; d < of.size(); ++d) reach += (of[d] - 1) * by[d];
    if (reach > std::numeric_limits<std::int32_t>::max()) return false;
    const AnyTensor read(dtype, from.first, {reach}, {1}, false, {}),
        made(dtype, to.first, {count}, {1}, true, {});
    runtime::run(DeviceKernel::copy_view, {of[1], of[2], of[3], by[0], by[1], by[2], by[3]}, {read}, made);
    return true;
}

}  // namespace

void copy_on_device(const DeviceElements& from, const DeviceElements& to, std::span<const std::int64_t> shape,
                    DType dtype) {
    if (copy_by_kernel(from, to, shape, dtype)) return;
    const halide_type_t type(halide_type_uint, static_cast<std::uint8_t>(bytes_of(dtype) * 8));
    const DevicePlace source = device_place(from.first), target = device_place(to.first);
    const std::size_t rank = shape.size();
    std::vector<halide_dimension_t> source_dims(rank), target_dims(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t d = rank - 1 - i;
        const auto extent = static_cast<std::int32_t>(shape[d]);
        source_dims[i] = {0, extent, static_cast<std::int32_t>(from.strides[d])};
        target_dims[i] = {0, extent, static_cast<std::int32_t>(to.strides[d])};
    }
    DeviceDriver& driver = *source.block->driver;
    std::string message;
    const auto body = [&](void* context) {
        BufferAt a(source, context), b(target, context);
        if (a.status() != 0 || b.status() != 0) return a.status() != 0 ? a.status() : b.status();
        halide_buffer_t& read = a.with(type, source_dims);
        halide_buffer_t& written = b.with(type, target_dims);
        read.set_device_dirty();
        const int status = driver.functions.buffer_copy(context, &read, &driver.functions, &written);
        read.flags = written.flags = 0;
        return status;
    };
    check(driver.call(body, message), *source.block, "copying within it", message);
}

void wait_for_device(const void* address) {
    const DeviceBlock& block = *device_place(address).block;
    const halide_device_interface_t& functions = block.driver->functions;
    halide_buffer_t buffer{};
    buffer.device = block.handle;
    buffer.device_interface = &functions;
    std::string message;
    const auto body = [&](void* context) { return functions.device_sync(context, &buffer); };
    check(block.driver->call(body, message), block, "its work", message);
}

}  // namespace frisket::runtime
