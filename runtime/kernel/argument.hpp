// SPDX-License-Identifier: MIT
// Holds one argument of a call: a tensor, a masked tensor or a number.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "../tensor/masked_tensor.hpp"

namespace frisket {

/// One argument of a call: a tensor, a masked tensor or a number.  It holds its own handle of a tensor: the
/// object it was constructed from may go, be assigned to or be moved from before the call.
class Argument {
public:
    /// Kinds of argument.
    enum class Kind : std::uint8_t { none, tensor, masked, real, integer, state };

    /// No argument: leaves out a gradient of Optimizer::step.
    Argument() = default;
    // Only copies: an argument that is moved from still holds its tensor.
    Argument(const Argument&) = default;
    Argument& operator=(const Argument&) = default;
    /// Errors: ValueError if the tensor was moved from; all four.
    Argument(const AnyTensor& tensor) : Argument(AnyTensor(tensor)) {}
    /// A tensor, moved in.
    Argument(AnyTensor&& tensor);
    /// A masked tensor.
    Argument(const AnyMasked& masked) : Argument(AnyMasked(masked)) {}
    /// A masked tensor, moved in.
    Argument(AnyMasked&& masked);
    /// A host scalar.
    Argument(double number) : kind_(Kind::real), real_(number) {}
    /// An integer of the host.
    Argument(std::int64_t number) : kind_(Kind::integer), integer_(number) {}
    /// A number that the step reads and writes back: a reference, the number must outlive the call.
    static Argument state(double& number) noexcept;
    /// A reference to a handle, which must outlive the argument and its copies; allocates nothing.
    static Argument borrow(const AnyTensor& tensor) noexcept;
    /// A reference to a handle of a masked tensor.
    static Argument borrow(const AnyMasked& masked) noexcept;

    /// The kind of the argument.
    Kind kind() const noexcept { return kind_; }
    const AnyTensor& tensor() const noexcept { return *tensor_; }  ///< kind() == tensor
    const AnyMasked& masked() const noexcept { return *masked_; }  ///< kind() == masked
    /// kind() is masked, or tensor: everything specified
    AnyMasked as_masked() const { return kind_ == Kind::masked ? masked() : AnyMasked::dense(tensor()); }
    /// kind() is tensor or masked
    const Shape& shape() const noexcept {
        return kind_ == Kind::masked ? masked().shape() : tensor().shape();
    }
    /// kind() is tensor, or masked: its values
    const AnyTensor& values() const noexcept { return kind_ == Kind::masked ? masked().values() : tensor(); }
    /// Everything but a masked tensor is dense.
    Layout layout() const noexcept { return kind_ == Kind::masked ? masked().layout() : Layout::dense; }
    double number() const noexcept {  ///< kind() is real, integer or state
        return kind_ == Kind::integer ? static_cast<double>(integer_)
               : kind_ == Kind::state ? *state_
                                      : real_;
    }
    /// kind() is integer, or another number: cut
    std::int64_t whole() const noexcept {
        return kind_ == Kind::integer ? integer_ : static_cast<std::int64_t>(number());
    }
    double* state_slot() const noexcept { return state_; }  ///< kind() == state

private:
    Kind kind_ = Kind::none;
    union {
        const AnyTensor* tensor_ = nullptr;
        const AnyMasked* masked_;
        double real_;
        std::int64_t integer_;
        double* state_;
    };
    std::shared_ptr<const void> held_;  // the handle; null if it is borrowed
};

inline Argument Argument::state(double& number) noexcept {
    Argument argument;
    argument.kind_ = Kind::state;
    argument.state_ = &number;
    return argument;
}

inline Argument Argument::borrow(const AnyTensor& tensor) noexcept {
    Argument argument;
    argument.kind_ = Kind::tensor;
    argument.tensor_ = &tensor;
    return argument;
}

inline Argument Argument::borrow(const AnyMasked& masked) noexcept {
    Argument argument;
    argument.kind_ = Kind::masked;
    argument.masked_ = &masked;
    return argument;
}

/// Shapes of tensors; numbers have the shape of rank 0.
std::vector<Shape> shapes_of(std::span<const Argument> arguments);

/// An argument with the name of its parameter, for calls by run-time names.
struct NamedArgument {
    /// An argument for the parameter of this name.
    NamedArgument(std::string_view parameter, const Argument& argument) : name(parameter), value(argument) {}

    std::string name;
    Argument value;
};

}  // namespace frisket
