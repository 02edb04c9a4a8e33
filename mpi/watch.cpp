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

/// Beats of silence that are too long.
constexpr int beats = 8;
constexpr std::chrono::milliseconds longest_beat{1000}, shortest_beat{1};

/// Fault of the calls of a rank, as the next one sees it; empty if it may wait for another.
std::string fault_of_calls(int before, const CallState& heard, int rank, const CallState& own) {
    if (own.is_inside == 0) return {};
    const std::string here = "rank " + std::to_string(rank) + " waits in call " + std::to_string(own.number) +
                             ", " + std::string(own.text()),
                      there = "rank " + std::to_string(before);
    if (heard.has_left != 0 && heard.number < own.number)
        return there + " has left after " + std::to_string(heard.number) + " calls, and " + here;
    if (heard.is_inside != 0 && heard.number == own.number && heard.text() != own.text())
        return there + " is in call " + std::to_string(heard.number) + ", " + std::string(heard.text()) +
               ", and " + here;
    return {};
}

}  // namespace

Watch::Watch(std::unique_ptr<Transport> transport, std::chrono::milliseconds time_out, const Calls& calls)
    : calls_(calls),
      transport_(std::move(transport)),
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

void Watch::say(const CallState& state) {
    saying_->send((transport_->rank() + 1) % transport_->size(), tag, std::as_bytes(std::span(&state, 1)));
    saying_->wait();
}

void Watch::end_all(const std::string& fault) {
    std::fprintf(stderr, "frisket: %s for %.1f s (option time_out): all ranks are ended\n", fault.c_str(),
                 static_cast<double>(time_out_.count()) / 1000);
    std::fflush(stderr);
    transport_->abort();
    std::abort();
}

/// Shape: a message for each beat; the last one tells that the rank leaves.
void Watch::run() {
    const int rank = transport_->rank(), before = (rank + transport_->size() - 1) % transport_->size();
    CallState heard, next;
    const auto listen = [&] {
        listening_->receive(before, tag, std::as_writable_bytes(std::span(&next, 1)));
    };
    listen();
    Clock::time_point last = Clock::now(), same_calls = last, woken = last;
    while (sleep()) {
        // A process that was stopped itself waits for the other as long again.
        if (Clock::now() - woken > 2 * beat_ + std::chrono::seconds(1)) last = same_calls = Clock::now();
        woken = Clock::now();
        const CallState own = calls_.last();
        say(own);
        while (heard.has_left == 0 && listening_->is_over()) {
            listening_->wait();
            last = Clock::now();
            heard = next;
            if (heard.has_left == 0) listen();
        }
        if (heard.has_left == 0 && Clock::now() - last > time_out_)
            end_all("rank " + std::to_string(before) + " has been silent");
        const std::string fault = fault_of_calls(before, heard, rank, own);
        if (fault.empty()) same_calls = Clock::now();
        if (Clock::now() - same_calls > time_out_) end_all(fault);
    }
    CallState end = calls_.last();
    end.has_left = 1;
    say(end);
    if (heard.has_left == 0) listening_->cancel();
}

}  // namespace frisket::mpi::detail
