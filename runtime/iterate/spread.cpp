// SPDX-License-Identifier: MIT
#include "../kernel/spread.hpp"

#include "../kernel/scratch.hpp"
#include "../tensor/device_tensors.hpp"

/// Masked tensors of a device in layouts that no loop there walks.
namespace frisket::kernel {

namespace {

/// Gives `to` the specified elements of `from`, where they stand.
void put(const PutKernels& kernels, const AnyMasked& from, const AnyTensor& to) {
    if (to.size() == 0) return;
    KernelModule& loops = kernels.of(to.dtype());
    const Argument arguments[] = {Argument::borrow(to), Argument::borrow(from)};
    const FrameLease lease;
    Call call{loops, loops.signature(), arguments, to.shape(), to.size(), lease.scratch};
    lease.scratch.fit(call.signature, loops.number_count());
    ready_on_device(call)->run();
}

/// A new tensor of one bool.
AnyTensor filled(const PutKernels& kernels, const Shape& shape, bool value) {
    const Device device = kernels.device;
    const AnyTensor made = empty(DType::boolean, shape, device);
    const AnyTensor one(DType::boolean, const_cast<void*>(runtime::bool_on(device, value)), {}, {}, false,
                        {});
    put(kernels, AnyMasked::dense(one.broadcast_to(shape)), made);
    return made;
}

/// A tensor with these elements, in a layout with a mask of bytes.
AnyMasked spread(const PutKernels& kernels, const AnyMasked& masked) {
    const AnyTensor mask = filled(kernels, masked.shape(), false);
    if (masked.layout() == Layout::bitmask) {
        put(kernels, AnyMasked::bitmask(filled(kernels, masked.shape(), true), masked.mask()), mask);
        return AnyMasked::strided(masked.values(), mask);
    }
    const AnyTensor values = empty(masked.dtype(), masked.shape(), kernels.device);
    const Layout layout = masked.layout() == Layout::rows ? Layout::rows : Layout::coo;
    const auto place = [&](const AnyTensor& entries, const AnyTensor& to) {
        if (entries.size() > 0)
            put(kernels, AnyMasked::placed(layout, masked.shape(), entries, masked.places()), to);
    };
    const AnyTensor& given = masked.values();
    place(given.is_contiguous() ? given : given.clone(), values);
    place(masked.mask().size() > 0 ? masked.mask() : filled(kernels, given.shape(), true), mask);
    return AnyMasked::strided(values, mask);
}

}  // namespace

std::vector<Argument> spread_arguments(const PutKernels& kernels, std::span<const Argument> given) {
    std::vector<Argument> made(given.begin(), given.end());
    for (Argument& argument : made) {
        if (argument.kind() != Argument::Kind::masked) continue;
        const Layout layout = argument.masked().layout();
        if (layout != Layout::dense && layout != Layout::strided)
            argument = spread(kernels, argument.masked());
    }
    return made;
}

}  // namespace frisket::kernel
