// SPDX-License-Identifier: MIT
#pragma once
#include "compare.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace conformance {

/// An operation of only the runtime: no graph is made.
struct HostOperation {
    std::function<Got(const std::vector<Input>&, const Json& attrs)> run;
    bool is_expression = false;  ///< true if expressions have it too
};

/// The operation of a name; nothing if the runtime has none.
const HostOperation* find_host_operation(const std::string& name);

}  // namespace conformance
