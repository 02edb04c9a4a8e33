// SPDX-License-Identifier: MIT
#include "watch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace frisket::mpi::detail {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int tag = 1;
constexpr std::byte lives{0}, leaves{1};

/// A silence of so many beats is too long.
constexpr int beats = 8;
constexpr std::chrono::milliseconds longest_beat{1000}, shortest_beat{1};

}  // namespace

Watch::Watch(std::unique_ptr<Transport> transport, std::chrono::milliseconds time_out)
    : transport_(std::move(transport)),
      saying_(transport_->flight()),
      listening_(transport_->flight()),
      time_out_(time_out),
      beat_(std::clamp(time_out / beats, shortest_beat, longest_beat)) {
    saying_->reserve(1);
    listening_->reserve(1);
    thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    condition_.notify_one();
    thread_.join();
}

bool Watch::sleep() {
    std::unique_lock lock(mutex_);
    return !condition_.wait_for(lock, beat_, [&] { return is_ending_; });
}

void Watch::say(std::byte word) {
    saying_->send((transport_->rank() + 1) % transport_->size(), tag, {&word, 1});
    saying_->wait();
}

void Watch::end_all(int silent) {
    std::fprintf(stderr,
                 "frisket: rank %d has been silent for %.1f s (option time_out): all ranks are ended\n",
                 silent, static_cast<double>(time_out_.count()) / 1000);
    std::fflush(stderr);
    transport_->abort();
    std::abort();
}

/// Shape: a message of one byte for each beat; the last one says that the rank leaves.
void Watch::run() {
    const int before = (transport_->rank() + transport_->size() - 1) % transport_->size();
    std::byte heard = lives;
    listening_->receive(before, tag, {&heard, 1});
    Clock::time_point last = Clock::now(), woken = last;
    while (sleep()) {
        // A process that was stopped itself gives the other as long again.
        if (Clock::now() - woken > 2 * beat_ + std::chrono::seconds(1)) last = Clock::now();
        woken = Clock::now();
        say(lives);
        while (heard != leaves && listening_->is_over()) {
            listening_->wait();
            last = Clock::now();
            if (heard != leaves) listening_->receive(before, tag, {&heard, 1});
        }
        if (heard != leaves && Clock::now() - last > time_out_) end_all(before);
    }
    say(leaves);
    if (heard != leaves) listening_->cancel();
}

}  // namespace frisket::mpi::detail
