// SPDX-License-Identifier: MIT
#pragma once
#include <exception>
#include <limits>
#include <mutex>

namespace frisket {

/// Lets an exception cross threads that know of none.
class ExceptionCollector {
public:
    /// Of bodies that fail the one of the lowest place is told, whatever the threads do; of one place the
    /// first.
    template <class Body>
    void guard(Body&& body, int place = 0) noexcept {
        try {
            body();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (place >= place_) return;
            failure_ = std::current_exception();
            place_ = place;
        }
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr failure_;
    int place_ = std::numeric_limits<int>::max();
};

}  // namespace frisket
