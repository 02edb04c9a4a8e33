// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "../runtime/call/strategy.hpp"

namespace frisket {

/// How the loops of one strategy run.
struct Schedule {
    Strategy strategy = Strategy::dense;
    int vector = 8;    ///< float32 lanes of a vector
    int task = 65536;  ///< elements of a parallel task; list entries for gather
    bool operator==(const Schedule&) const = default;
};

/// What a strategy runs with unless told otherwise.  `vector`: float32 lanes of the machine.
Schedule default_schedule(Strategy strategy, int vector);

/// "skip vector=16 task=65536"
std::string to_string(const Schedule& schedule);

}  // namespace frisket
