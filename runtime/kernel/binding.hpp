// SPDX-License-Identifier: MIT
// Checks the arguments of a call against the signature of a kernel.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "argument.hpp"
#include "signature.hpp"

namespace frisket::kernel_calls {

/// Compares two shapes inline, without a call: shapes have few dimensions.
inline bool is_same(const Shape& a, const Shape& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), std::equal_to());
}

/// Checks everything about a call that can go wrong before anything is written, and returns the shape that
/// the loops walk: the shape of the tensors that are written ([0] if all are only read).  It lives as long as
/// the arguments.
/// Errors: BindingError (kind of an argument), DTypeError, ShapeError (also: more than 8 dimensions),
/// MaskMismatch, ValueError (no data, read-only, overlap).
const Shape& check_call(const Signature& signature, std::span<const Argument> arguments);

/// The part of it that depends only on shapes: for lists that must not be read before.  Shape: one for each
/// parameter, [] for numbers.  Errors: ShapeError.
void check_shapes(const Signature& signature, std::span<const Shape> shapes);

/// True if a tensor of an argument lives on a device.
inline bool lives_on_device(const Argument& argument) noexcept {
    if (argument.kind() == Argument::Kind::tensor)
        return detail::is_device_address(argument.tensor().address());
    if (argument.kind() != Argument::Kind::masked) return false;
    const AnyMasked& masked = argument.masked();
    return detail::is_device_address(masked.values().address()) ||
           detail::is_device_address(masked.mask().address());
}

/// The device or processor that holds the tensors of a call; nothing if it has no tensors.
/// Errors: TargetError naming both if they live in two.
std::optional<Device> device_of(const Signature& signature, std::span<const Argument> arguments);

/// The loops for the device or processor that holds the tensors of a call: these, or their loops `on` it.
template <class Loops>
Loops& where_tensors_live(Loops& given, const Signature& signature, std::span<const Argument> arguments) {
    if (given.device().is_cpu() && std::ranges::none_of(arguments, lives_on_device)) return given;
    const std::optional<Device> device = device_of(signature, arguments);
    return !device || *device == given.device() ? given : given.on(*device);
}

/// True if a step with several masks is called with one list for all of them.
bool has_one_list(const Signature& signature, std::span<const Argument> arguments);

/// The most dimensions that a tensor in a kernel may have.
inline constexpr int max_rank = 8;

/// Arguments in the signature's order from named arguments.
/// Errors: BindingError if a name is missing, unknown or given twice.
void bind_names(const Signature& signature, std::span<const NamedArgument> named,
                std::span<Argument> arguments);

}  // namespace frisket::kernel_calls
