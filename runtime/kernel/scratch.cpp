// SPDX-License-Identifier: MIT
#include "scratch.hpp"

#include "per_thread.hpp"

#include <deque>
#include <utility>

namespace frisket::kernel_calls {

void Scratch::fit(const Signature& signature, std::size_t number_count) {
    const std::size_t parameters = signature.parameters.size();
    if (flat.size() < parameters) {
        words.resize(parameters);
        bytes.resize(parameters);
        values.resize(parameters);
        listed.resize(parameters);
        flat.resize(parameters);  // the last: who has these has them all
    }
    if (numbers.size() < number_count) numbers.resize(number_count);
}

struct FrameLease::Frames {
    std::deque<Scratch> all;
    Scratch* free = nullptr;

    Scratch& take() {
        if (free == nullptr) return all.emplace_back();
        return *std::exchange(free, free->next_free);
    }
    void give_back(Scratch& scratch) { scratch.next_free = std::exchange(free, &scratch); }
};

FrameLease::Frames& FrameLease::of_thread() {
    static constinit PerThread<Frames> frames;
    return frames.get();
}

FrameLease::FrameLease() : frames_(of_thread()), scratch(frames_.take()) {}

FrameLease::~FrameLease() {
    scratch.kept.clear();
    frames_.give_back(scratch);
}

}  // namespace frisket::kernel_calls
