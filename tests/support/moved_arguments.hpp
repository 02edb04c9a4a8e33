// SPDX-License-Identifier: MIT
#pragma once
#include "../../codegen/jit/evaluate.hpp"
#include "../../ir/expressions/expression_context.hpp"

#include <frisket/runtime.hpp>

#include <deque>
#include <span>
#include <vector>

namespace frisket::testing {

/// Arguments of a call on a device, and the way back of the call's results.  Refers to the arguments.
class MovedArguments {
public:
    MovedArguments(std::span<const Argument> given, const Device& device)
        : given_(given), moved_(given.begin(), given.end()) {
        for (Argument& argument : moved_) {
            if (argument.kind() == Argument::Kind::tensor)
                argument = Argument::borrow(tensors_.emplace_back(argument.tensor().to(device)));
            else if (argument.kind() == Argument::Kind::masked)
                argument = Argument::borrow(masked_.emplace_back(argument.masked().to(device)));
        }
    }
    std::span<const Argument> arguments() const { return moved_; }
    /// Copies the tensors that a step writes back from the device.
    void copy_back(const Signature& signature) const {
        for (std::size_t i = 0; i < given_.size(); ++i)
            if (given_[i].kind() == Argument::Kind::tensor && signature.writes(static_cast<int>(i)))
                copy(moved_[i].tensor().to(Device()), given_[i].tensor());
    }

private:
    std::span<const Argument> given_;
    std::vector<Argument> moved_;
    std::deque<AnyTensor> tensors_;
    std::deque<AnyMasked> masked_;
};

/// A result that was computed on a device.
inline Result on_processor(Result result) {
    result.values = result.values.to(Device());
    if (result.mask) result.mask = result.mask->to(Device());
    if (result.listed) result.listed = result.listed->to(Device());
    return result;
}

/// Evaluates graphs on a device, to which arguments are moved, and from which results come.
inline ir::ExpressionContext::Evaluate evaluate_on(const Device& device) {
    return [device](const Graph& graph, std::span<const Argument> arguments) {
        const MovedArguments moved(arguments, device);
        std::vector<Result> results = codegen::jit_evaluate(graph, moved.arguments());
        for (Result& result : results) result = on_processor(std::move(result));
        return results;
    };
}

}  // namespace frisket::testing
