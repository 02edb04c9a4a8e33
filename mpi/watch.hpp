// SPDX-License-Identifier: MIT
// Internal: ends all processes when one of them is silent.
#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "transport.hpp"

namespace frisket::mpi::detail {

/// A thread that tells the next rank that this process lives, and listens to the one before.  Where that is
/// silent for a time, it prints a line which names it, and ends the processes of all ranks.
class Watch {
public:
    Watch(std::unique_ptr<Transport> transport, std::chrono::milliseconds time_out);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    void run();
    /// Waits for the next beat; false if it is time to end.
    bool sleep();
    void say(std::byte word);
    [[noreturn]] void end_all(int silent);

    std::unique_ptr<Transport> transport_;
    std::unique_ptr<Flight> saying_, listening_;  // messages of which each has memory for one
    std::chrono::milliseconds time_out_, beat_;
    std::mutex mutex_;
    std::condition_variable condition_;
    bool is_ending_ = false;
    std::thread thread_;
};

}  // namespace frisket::mpi::detail
