// SPDX-License-Identifier: MIT
// Internal: what a sharded table keeps.
#pragma once
#include <memory>

#include "entries.hpp"
#include "optimizer.hpp"
#include "sharded_table.hpp"

namespace frisket::mpi {

struct ShardedTable::State {
    Communicator communicator;
    TableShape whole;
    std::string name;
    Placement placement;
    AnyTensor local;
    std::unique_ptr<Optimizer> optimizer = {};  // for step()
};

}  // namespace frisket::mpi
