// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

#include "masked_tensor.hpp"

namespace frisket {

/// One argument of a call: refers to a tensor, a masked tensor or a number; owns nothing.
/// The tensors must outlive the call.
class Argument {
public:
    enum class Kind : std::uint8_t { none, tensor, masked, real, integer, state };

    Argument() = default;
    Argument(const AnyTensor& tensor) : kind_(Kind::tensor), tensor_(&tensor) {}
    Argument(const AnyMasked& masked) : kind_(Kind::masked), masked_(&masked) {}
    Argument(double number) : kind_(Kind::real), real_(number) {}
    Argument(std::int64_t number) : kind_(Kind::integer), integer_(number) {}
    /// A number that the step reads and writes back.
    static Argument state(double& number);

    Kind kind() const noexcept { return kind_; }
    const AnyTensor& tensor() const noexcept { return *tensor_; }  ///< kind() == tensor
    const AnyMasked& masked() const noexcept { return *masked_; }  ///< kind() == masked
    /// kind() is masked, or tensor: everything specified
    AnyMasked as_masked() const { return kind_ == Kind::masked ? masked() : AnyMasked::dense(tensor()); }
    /// kind() is tensor or masked
    const Shape& shape() const noexcept {
        return kind_ == Kind::masked ? masked().shape() : tensor().shape();
    }
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
};

inline Argument Argument::state(double& number) {
    Argument argument;
    argument.kind_ = Kind::state;
    argument.state_ = &number;
    return argument;
}

/// An argument with the name of its parameter, for calls by run-time names.
struct NamedArgument {
    std::string_view name;
    Argument value;
};

}  // namespace frisket
