// SPDX-License-Identifier: MIT
// Kinds, dtypes and shapes of the arguments of a call.
#pragma once
#include "arguments.hpp"

#include <string>
#include <string_view>

namespace frisket::python {

/// Key of the trace that arguments have.
class CallKey {
public:
    CallKey() { shapes_.reserve(256); }
    void add(const Given& given);
    void clear() noexcept {
        kinds_.clear();
        shapes_.clear();
        is_joined_ = false;
    }
    /// Kinds and dtypes.
    std::string_view without_shapes() const noexcept { return kinds_; }
    /// Kinds and dtypes, then shapes.
    std::string_view with_shapes() {
        if (!is_joined_) kinds_ += shapes_;
        is_joined_ = true;
        return kinds_;
    }

private:
    std::string kinds_, shapes_;
    bool is_joined_ = false;
};

void add_descriptions(nb::module_& module);

}  // namespace frisket::python
