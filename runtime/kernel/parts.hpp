// SPDX-License-Identifier: MIT
// Runs the parts of a call in parallel.
#pragma once
#include <cstdint>
#include <new>
#include <vector>

#include "exception_collector.hpp"

namespace frisket::kernel_calls {

/// Parts of a call, side by side.  A part takes its memory before it writes; one that finds none is left, and
/// run at the end by the calling thread, in memory that was there before the first part began.  So a call
/// whose parts have begun does not fail for lack of memory.
class Parts {
public:
    explicit Parts(std::int64_t count) : is_left_(static_cast<std::size_t>(count)) {}
    std::int64_t count() const { return static_cast<std::int64_t>(is_left_.size()); }

    /// Runs body(i) for all parts by run_tasks(count, task); it throws std::bad_alloc before it writes, if
    /// ever.
    template <class RunTasks, class Body>
    void run(const RunTasks& run_tasks, const Body& body) {
        ExceptionCollector failure;
        const auto part = [&](std::int64_t i) {
            const auto try_body = [&] {
                try {
                    body(i);
                } catch (const std::bad_alloc&) { is_left_[static_cast<std::size_t>(i)] = 1; }
            };
            failure.guard(try_body, static_cast<int>(i));
        };
        run_tasks(static_cast<int>(count()), part);
        failure.rethrow();
    }

    /// Runs body(i) for those that are left.
    template <class Body>
    void finish(const Body& body) {
        for (std::size_t i = 0; i < is_left_.size(); ++i)
            if (is_left_[i] != 0) body(static_cast<std::int64_t>(i));
    }

private:
    std::vector<std::uint8_t> is_left_;  // bytes, which threads write side by side
};

}  // namespace frisket::kernel_calls
