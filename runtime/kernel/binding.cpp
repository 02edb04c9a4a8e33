// SPDX-License-Identifier: MIT
#include "binding.hpp"

#include <algorithm>

#include "../layouts/layout.hpp"
#include "../layouts/layout_traits.hpp"
#include "../support/joined.hpp"
#include "../tensor/overlap.hpp"

namespace frisket::kernel_calls {

namespace {

std::string quoted(const Signature& signature, int parameter) {
    return signature.name + ": " + signature.parameters[parameter].name;
}

bool takes_number(SymbolKind kind) { return kind == SymbolKind::scalar || kind == SymbolKind::scalar_state; }

std::string wanted_kind(const Parameter& parameter) {
    switch (parameter.kind) {
        case SymbolKind::in_out:
        case SymbolKind::in: return "a tensor";
        case SymbolKind::masked: return "a masked tensor (or a tensor: all specified)";
        case SymbolKind::scalar: return "a number";
        default: return "a number that the step can update: Argument::state(number)";
    }
}

std::string_view came_kind(const Argument& argument) {
    switch (argument.kind()) {
        case Argument::Kind::none: return "nothing";
        case Argument::Kind::tensor: return "a tensor";
        case Argument::Kind::masked: return "a masked tensor";
        case Argument::Kind::state: return "a number that can be updated";
        default: return "a number";
    }
}

bool kind_fits(const Parameter& parameter, const Argument& argument) {
    const auto kind = argument.kind();
    switch (parameter.kind) {
        case SymbolKind::in_out:
        case SymbolKind::in: return kind == Argument::Kind::tensor;
        case SymbolKind::masked: return kind == Argument::Kind::tensor || kind == Argument::Kind::masked;
        case SymbolKind::scalar: return kind == Argument::Kind::real || kind == Argument::Kind::integer;
        default: return kind == Argument::Kind::state;
    }
}

/// A tensor without data has no elements.
void check_missing(const std::string& name, const AnyTensor& values) {
    values.check_not_moved(name);
    if (values.size() == 0) return;
    throw ValueError(name + " has no data (a null pointer) for shape " + to_string(values.shape()) +
                     ": give it memory");
}

void check_kinds(const Signature& signature, std::span<const Argument> arguments) {
    const std::span<const Parameter> parameters = signature.parameters;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Parameter& parameter = parameters[i];
        const Argument& argument = arguments[i];
        if (!kind_fits(parameter, argument))
            throw BindingError(quoted(signature, static_cast<int>(i)) + " is " +
                               std::string(name_of(parameter.kind)) + " and was given " +
                               std::string(came_kind(argument)) + ": give it " + wanted_kind(parameter));
        if (takes_number(parameter.kind)) {
            if (parameter.dtype == DType::int64 && argument.kind() == Argument::Kind::real)
                throw DTypeError(quoted(signature, static_cast<int>(i)) +
                                 " is an integer scalar and was given a float: give it an integer");
            continue;
        }
        const AnyTensor& values = argument.values();
        if (values.dtype() != parameter.dtype)
            throw DTypeError(quoted(signature, static_cast<int>(i)) + " has dtype " +
                             std::string(name_of(values.dtype())) + ", the step wants " +
                             std::string(name_of(parameter.dtype)) +
                             ": convert it, or declare the symbol with that type");
        if (argument.shape().size() > static_cast<std::size_t>(max_rank))
            throw ShapeError(quoted(signature, static_cast<int>(i)) + " has " +
                             std::to_string(argument.shape().size()) +
                             " dimensions, a kernel takes at most 8: "
                             "reshape the tensors of the call");
        if (values.address() == nullptr) check_missing(quoted(signature, static_cast<int>(i)), values);
    }
}

/// Targets have one shape, values broadcast to it.  shape_of(i): the shape of argument i.
void check_shapes_by(const Signature& signature, auto shape_of) {
    if (signature.updates.empty() || signature.has_shapes) return;
    const int first = signature.updates.front().target;
    const Shape& space = shape_of(first);
    for (const UpdateRule& update : signature.updates) {
        const Shape& target = shape_of(update.target);
        if (!is_same(target, space))
            throw ShapeError(
                quoted(signature, update.target) + " has shape " + to_string(target) + ", " +
                signature.parameters[first].name + " has " + to_string(space) +
                ": the targets of one step have one shape, put the other updates into a step of their own");
        for (int operand : update.operands) {
            const Shape& shape = shape_of(operand);
            if (!is_same(shape, target) && !broadcasts_to(shape, target))
                throw ShapeError(quoted(signature, operand) + " has shape " + to_string(shape) + ", " +
                                 signature.parameters[update.target].name + " has " + to_string(target) +
                                 ": the shape of an update broadcasts to its target's");
        }
    }
    for (const auto& pair : signature.equal_masks)
        for (const int masked : pair)
            if (!broadcasts_to(shape_of(masked), space))
                throw ShapeError(quoted(signature, masked) + " has shape " + to_string(shape_of(masked)) +
                                 ", " + signature.parameters[first].name + " has " + to_string(space) +
                                 ": masks that meet broadcast to the target");
}

/// Memory that a step writes.
struct Written {
    int parameter;
    const AnyTensor& tensor;  // with elements
    runtime::ByteRange range = runtime::byte_range(tensor);
};

[[noreturn]] void refuse_overlap(const Signature& signature, const Written& written, runtime::Overlap found,
                                 int other, const char* part = "") {
    throw ValueError(quoted(signature, written.parameter) +
                     (found == runtime::Overlap::some ? " shares memory with "
                                                      : " is not shown to be free of overlap with ") +
                     part + signature.parameters[other].name +
                     ": what a step writes may overlap no other argument, give it a clone()");
}

/// A tensor's memory, and its mask's memory.
void check_disjoint(const Signature& signature, const Written& written, int other, const Argument& argument) {
    runtime::Overlap found = runtime::overlap(written.tensor, written.range, argument.values());
    if (found != runtime::Overlap::none) refuse_overlap(signature, written, found, other);
    if (argument.kind() != Argument::Kind::masked) return;
    found = runtime::overlap(written.tensor, written.range, argument.masked().mask());
    if (found != runtime::Overlap::none) refuse_overlap(signature, written, found, other, "the mask of ");
}

/// Numbers that the step updates are stored one after the other: each needs a place of its own.
void check_states(const Signature& signature, std::span<const Argument> arguments) {
    const auto place_of = [&](std::size_t i) {
        return AnyTensor(DType::float64, arguments[i].state_slot(), {}, {}, true, {});
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].kind() != Argument::Kind::state) continue;
        const AnyTensor place = place_of(i);
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            const auto state = static_cast<int>(i), other = static_cast<int>(k);
            if (!takes_number(signature.parameters[k].kind))
                check_disjoint(signature, {state, place}, other, arguments[k]);
            else if (k < i && arguments[k].kind() == Argument::Kind::state &&
                     runtime::overlap(place_of(k), place) != runtime::Overlap::none)
                throw ValueError(quoted(signature, other) + " shares memory with " +
                                 signature.parameters[i].name +
                                 ": a number that a step updates is no other's, give each a variable");
        }
    }
}

void check_memory(const Signature& signature, std::span<const Argument> arguments) {
    const std::span<const Parameter> parameters = signature.parameters;
    for (const UpdateRule& update : signature.updates) {
        const AnyTensor& target = arguments[update.target].tensor();
        if (!target.is_writable())
            throw ValueError(
                quoted(signature, update.target) +
                " is read-only and the step updates it: give it a Tensor whose elements are not const");
        const runtime::Overlap found =
            parameters[update.target].is_repeated ? runtime::Overlap::none : runtime::overlaps_itself(target);
        if (found != runtime::Overlap::none)
            throw ValueError(quoted(signature, update.target) +
                             (found == runtime::Overlap::some ? " overlaps itself"
                                                              : " is not shown to be free of overlap") +
                             " (shape " + to_string(target.shape()) + ", strides " +
                             to_string(target.strides()) +
                             "): what a step writes has its elements apart, give it a clone()");
        if (target.size() == 0) continue;
        const Written written{update.target, target};
        for (int i = 0; i < static_cast<int>(arguments.size()); ++i)
            if (i != update.target && !takes_number(parameters[i].kind))
                check_disjoint(signature, written, i, arguments[i]);
    }
    check_states(signature, arguments);
}

void check_masks(const Signature& signature, std::span<const Argument> arguments, const Shape& targets) {
    for (const auto& [a, b] : signature.equal_masks) {
        const Shape& space = signature.has_shapes ? arguments[a].shape() : targets;
        const AnyMasked left = arguments[a].as_masked(), right = arguments[b].as_masked();
        const auto difference = runtime::first_mask_difference(left, right, space);
        if (!difference) continue;
        const bool in_left = difference->specified_in_a;
        throw MaskMismatch(quoted(signature, a) + " and " + signature.parameters[b].name +
                           " specify different elements (" + std::to_string(difference->count_a) + " and " +
                           std::to_string(difference->count_b) + "), first at " +
                           to_string(unravel(difference->position, space)) + ", which only " +
                           signature.parameters[in_left ? a : b].name +
                           " specifies: masks that meet must be equal, to_dense(" +
                           signature.parameters[b].name + ", fill) leaves the masked world");
    }
}

}  // namespace

void check_shapes(const Signature& signature, std::span<const Shape> shapes) {
    check_shapes_by(signature, [&](int i) -> const Shape& { return shapes[static_cast<std::size_t>(i)]; });
}

const Shape& check_call(const Signature& signature, std::span<const Argument> arguments) {
    if (arguments.size() != signature.parameters.size())
        throw BindingError(signature.name + ": the call has " + std::to_string(arguments.size()) +
                           " arguments, the step has " + std::to_string(signature.parameters.size()) +
                           " parameters: give one for each");
    check_kinds(signature, arguments);
    const auto shape_of = [&](int i) -> const Shape& { return arguments[i].shape(); };
    check_shapes_by(signature, shape_of);
    const Shape& space =
        signature.updates.empty() ? detail::empty_shape() : shape_of(signature.updates.front().target);
    check_memory(signature, arguments);
    if (!signature.equal_masks.empty()) check_masks(signature, arguments, space);
    return space;
}

std::optional<Device> device_of(const Signature& signature, std::span<const Argument> arguments) {
    std::optional<Device> found;
    std::size_t first = 0;
    const auto take = [&](std::size_t i, const AnyTensor& tensor) {
        const Device device = tensor.device();
        if (!found) first = i;
        if (!found) found = device;
        if (device == *found) return;
        throw TargetError(quoted(signature, static_cast<int>(i)) + " is on " + std::string(device.name()) +
                          ", and " + signature.parameters[first].name + " is on " +
                          std::string(found->name()) +
                          ": the tensors of a call live on one device, move one with .to(device(\"" +
                          std::string(found->name()) + "\"))");
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].kind() == Argument::Kind::tensor) take(i, arguments[i].tensor());
        if (arguments[i].kind() != Argument::Kind::masked) continue;
        const AnyMasked& masked = arguments[i].masked();
        take(i, masked.values());
        if (masked.mask().size() > 0) take(i, masked.mask());
    }
    return found;
}

void bind_names(const Signature& signature, std::span<const NamedArgument> named,
                std::span<Argument> arguments) {
    for (const NamedArgument& argument : named) {
        const int index = signature.find(argument.name);
        if (index < 0)
            throw BindingError(signature.name + ": there is no parameter " + std::string(argument.name) +
                               ": the step has " + runtime::joined(signature.parameters, &Parameter::name));
        if (arguments[index].kind() != Argument::Kind::none)
            throw BindingError(signature.name + ": " + std::string(argument.name) +
                               " is given twice: give each name once");
        arguments[index] = argument.value;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].kind() == Argument::Kind::none)
            throw BindingError(signature.name + ": " + signature.parameters[i].name +
                               " is missing: give it " + wanted_kind(signature.parameters[i]));
}

bool has_one_list(const Signature& signature, std::span<const Argument> arguments) {
    const AnyMasked* first = nullptr;
    int count = 0;
    for (const Argument& argument : arguments) {
        if (argument.kind() != Argument::Kind::masked) continue;
        const AnyMasked& masked = argument.masked();
        if (!runtime::is_list(runtime::kernel_layout(masked.layout()))) return false;
        if (first == nullptr) first = &masked;
        if (masked.layout() != first->layout() || !runtime::same_mask(*first, masked)) return false;
        ++count;
    }
    const auto is_masked = [](const Parameter& parameter) { return parameter.kind == SymbolKind::masked; };
    return count > 0 && count == std::ranges::count_if(signature.parameters, is_masked);
}

}  // namespace frisket::kernel_calls
