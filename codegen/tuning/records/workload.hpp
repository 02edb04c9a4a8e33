// SPDX-License-Identifier: MIT
// Copies the arguments of a call, so that tuning can repeat the call.
#pragma once
#include <deque>
#include <span>
#include <vector>

#include "../../../runtime/kernel/argument.hpp"
#include "../../../runtime/kernel/signature.hpp"

namespace frisket::codegen {

/// A call that can be made any number of times: the arguments of another, with memory of its own for the
/// step's outputs.
class Workload {
public:
    /// Tensors are moved to a device, if one is given.
    Workload(const Signature& signature, std::span<const Argument> arguments, const Device& device = {});

    std::span<const Argument> arguments() const { return arguments_; }
    /// Restores the original elements of the outputs.
    void reset();
    /// Compares the bytes that calls have written; resets in the same pass.
    bool has_written(std::span<const AnyTensor> right);
    /// Calls that are timed as one: short calls are shorter than a clock can measure.
    int repeats = 1;
    /// Waits for calls that were begun.
    void wait() const { synchronize(device_); }
    /// Copies, on the processor, of the tensors that calls have written.
    std::vector<AnyTensor> written() const;

private:
    struct Written { AnyTensor came, tensor; };
    const Device device_;
    std::vector<Argument> arguments_;
    std::deque<AnyTensor> moved_;
    std::deque<AnyMasked> moved_masked_;
    std::deque<Written> written_;
    std::deque<double> states_;
    std::vector<double> states_came_;
};

/// A part of a call's arguments, the first rows, of at most this number of elements, which the interpreter
/// can run in a moment.
class Reduced {
public:
    Reduced(std::span<const Argument> arguments, const Shape& space, std::int64_t most_elements);
    std::span<const Argument> arguments() const { return arguments_; }

private:
    std::vector<Argument> arguments_;
    std::deque<AnyTensor> tensors_;
    std::deque<AnyMasked> masked_;
};

}  // namespace frisket::codegen
