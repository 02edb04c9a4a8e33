// SPDX-License-Identifier: MIT
// Internal: the calls that a rank makes, which all ranks make in one order.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace frisket::mpi::detail {

/// The last call of a rank.  Plain bytes: ranks send it.
struct CallState {
    std::int64_t number = 0;      ///< calls that the rank has begun
    std::int64_t is_inside = 0;   ///< 1: it has not ended
    std::int64_t has_left = 0;    ///< 1: the rank makes no more calls
    std::array<char, 48> name{};  ///< cut to its size; ends with 0
    std::string_view text() const noexcept { return name.data(); }
};

/// Calls of this rank.
/// Threads: one makes calls, others may ask for the last one.
class Calls {
public:
    /// Begins a call, unless it is part of another.  Takes no memory.
    void begin(std::string_view verb, std::string_view of) noexcept {
        const std::lock_guard lock(mutex_);
        if (depth_++ > 0) return;
        ++last_.number;
        last_.is_inside = 1;
        last_.name.fill(0);
        std::size_t size = 0;
        for (const std::string_view part : {verb, std::string_view(of.empty() ? "" : " "), of})
            for (const char letter : part)
                if (size + 1 < last_.name.size()) last_.name[size++] = letter;
    }
    void end() noexcept {
        const std::lock_guard lock(mutex_);
        if (--depth_ == 0) last_.is_inside = 0;
    }
    CallState last() const noexcept {
        const std::lock_guard lock(mutex_);
        return last_;
    }

private:
    mutable std::mutex mutex_;
    CallState last_;
    int depth_ = 0;
};

}  // namespace frisket::mpi::detail
