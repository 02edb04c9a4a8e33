// SPDX-License-Identifier: MIT
// Starts and ends MPI in a program.
#pragma once
#include <mpi.h>

#include "communicator.hpp"

/// The header that names MPI: compiled with that of the program, as transport.cpp is.
namespace frisket::mpi {

/// MPI for as long as it lives: initialised for several threads, and finalised.  Where an exception leaves
/// the block that it stands in, all processes are ended, as the other processes would wait for this one.
class Environment {
public:
    /// Errors: ValueError if MPI is initialised already.
    Environment(int& argument_count, char**& arguments);
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    int exceptions_;
};

/// Ranks of a communicator of MPI.  All of them call it.
/// Errors: ValueError if MPI is not initialised, if options differ between ranks or are outside their ranges,
/// and for a time-out if MPI was not initialised for several threads.
Communicator communicator_of(MPI_Comm ranks, const CommunicatorOptions& options = {});
/// All ranks of MPI_COMM_WORLD.  Errors: as communicator_of.
Communicator world(const CommunicatorOptions& options = {});

}  // namespace frisket::mpi
