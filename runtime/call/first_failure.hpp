// SPDX-License-Identifier: MIT
#pragma once
#include <exception>
#include <mutex>

namespace frisket {

/// Lets an exception cross threads that know of none.
class FirstFailure {
public:
    template <class Body>
    void guard(Body&& body) noexcept {
        try {
            body();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr failure_;
};

}  // namespace frisket
