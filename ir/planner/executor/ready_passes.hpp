// SPDX-License-Identifier: MIT
#pragma once
#include "../../../runtime/kernel/ready.hpp"
#include "../rules/stage.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace frisket::planning {

/// The passes of a step, one after the other; values that they read are there.
class ReadyPasses {
public:
    explicit ReadyPasses(std::vector<Result> values) : values_(std::move(values)) {}

    /// Adds a pass that `make` makes of its arguments.
    template <class Make>
    void add(const Stage& pass, std::span<const Argument> given, bool is_last, const Make& make) {
        passes_.push_back(make(arguments_.emplace_back(pass, given, values_, is_last)));
    }
    void run() {
        for (const auto& pass : passes_) pass.run();
    }
    bool has_read() const {
        return !values_.empty() || std::ranges::any_of(arguments_, [](std::span<const Argument> arguments) {
            return std::ranges::any_of(
                arguments, [](const Argument& argument) { return argument.kind() == Argument::Kind::state; });
        });
    }

private:
    std::vector<Result> values_;
    std::deque<StageArguments> arguments_;
    std::vector<kernel_calls::Ready> passes_;
};

}  // namespace frisket::planning
