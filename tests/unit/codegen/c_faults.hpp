// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>

#include "c_call.hpp"

/// Everything that can be wrong with one part of a C call.
namespace frisket::testing {

/// One part that is wrong, and the code that the call then returns.
struct CFault {
    std::string what;
    std::string argument;  ///< faults of different parts go together
    std::function<void(CCall& call)> spoil;
    int code;
};

/// Single faults of calls with this layout.
std::vector<CFault> faults_of(frisket_layout layout);

}  // namespace frisket::testing
