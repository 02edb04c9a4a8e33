// SPDX-License-Identifier: MIT
#include "schedule.hpp"

namespace frisket {

Schedule default_schedule(Strategy strategy, int vector) {
    // Tasks: 64 k elements, serial below; an entry of a list costs as much as many elements of a vector.
    return {.strategy = strategy, .vector = vector, .task = strategy == Strategy::gather ? 4096 : 65536};
}

std::string to_string(const Schedule& schedule) {
    return std::string(name_of(schedule.strategy)) + " vector=" + std::to_string(schedule.vector) +
           " task=" + std::to_string(schedule.task);
}

}  // namespace frisket
