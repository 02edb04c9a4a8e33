// SPDX-License-Identifier: MIT
// Connects ranks, and counts the bytes that they send.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>

#include "transport.hpp"

namespace frisket::mpi {

namespace detail {
class Channel;
}  // namespace detail

/// Settings of a communicator, the same for all ranks.
struct CommunicatorOptions {
    /// How long a process may be silent (stopped, killed, cut off) until all are ended, with a line that
    /// names it; 0: for ever.  A thread speaks for a process that computes.
    std::chrono::milliseconds time_out = std::chrono::seconds(60);
    /// Bytes of the longest message: longer data is sent in several.  At least 1.
    std::int64_t message_bytes = std::int64_t{1} << 30;
};

/// Bytes and messages that a rank has sent to other ranks.
struct Traffic {
    std::int64_t bytes = 0;     ///< bytes of rows, gradients and ids
    std::int64_t messages = 0;  ///< messages that held them
    /// Bytes of counts and of agreements: how long messages are, whether all ranks can go on.
    std::int64_t control_bytes = 0;
};

/// Ranks that share tables.  Copies are the same one; messages are its own, and do not meet the user's.
/// Threads: one call at a time.
class Communicator {
public:
    /// Ranks of a transport; world() and communicator_of() return the ranks of MPI.
    Communicator(std::unique_ptr<detail::Transport> transport, const CommunicatorOptions& options);

    int rank() const noexcept;  ///< the number of this rank
    int size() const noexcept;  ///< number of ranks
    /// Bytes and messages that this rank has sent so far.
    Traffic traffic() const noexcept;

    /// Internal: what tables and optimizers send by.
    detail::Channel& channel() const noexcept { return *channel_; }

private:
    std::shared_ptr<detail::Channel> channel_;
};

}  // namespace frisket::mpi
