// SPDX-License-Identifier: MIT
// Collects the headers of frisket::mpi.
#pragma once
/// Tables and steps of several machines: what <frisket/mpi.hpp> includes.
#include "communicator.hpp"
#include "environment.hpp"
#include "optimizer.hpp"
#include "partition.hpp"
#include "sharded_table.hpp"
