// SPDX-License-Identifier: MIT
// Carries exceptions out of parallel regions.
#pragma once
#include <exception>
#include <limits>
#include <mutex>

namespace frisket::kernel_calls {

/// Carries the first exception of a parallel region to the calling thread.
class ExceptionCollector {
public:
    /// Runs a body and keeps its exception.  If several fail, the exception of the lowest index is retained,
    /// and the first one of that index, in whatever order threads run.
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

}  // namespace frisket::kernel_calls
