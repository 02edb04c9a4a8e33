// SPDX-License-Identifier: MIT
// Internal: ends all processes when one of them is silent, or makes other calls than the rest.
#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "calls.hpp"
#include "transport.hpp"

namespace frisket::mpi::detail {

/// A thread that tells the next rank the last call of this process, and listens to the one before.  It prints
/// a line and ends the processes of all ranks if for the time-out the rank before
/// - is silent, or
/// - has left, or is in another call of the same number, while this rank is in a call.
///
/// Among ranks that do not all make the same calls, at least one follows such a rank.
class Watch {
public:
    /// `calls` outlives it.
    Watch(std::unique_ptr<Transport> transport, std::chrono::milliseconds time_out, const Calls& calls);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    void run();
    /// Waits for the next beat; false if it is time to end.
    bool sleep();
    void say(const CallState& state);
    [[noreturn]] void end_all(const std::string& fault);

    const Calls& calls_;
    std::unique_ptr<Transport> transport_;
    std::unique_ptr<Flight> saying_, listening_;  // messages of which each has memory for one
    std::chrono::milliseconds time_out_, beat_;
    std::mutex mutex_;
    std::condition_variable condition_;
    bool is_ending_ = false;
    std::thread thread_;
};

}  // namespace frisket::mpi::detail
