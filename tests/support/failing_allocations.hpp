// SPDX-License-Identifier: MIT
#pragma once
#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <string>

/// Memory that runs out.  A program that links failing_allocations.cpp has its operator new, calloc and
/// aligned_alloc in place of the system's: one allocation can be told to fail.
///
/// Allocations that fail on purpose.  Those of libHalide are not counted: LLVM ends the process when it finds
/// no memory, so loops are compiled before allocations fail.  Those of the C library itself are
/// counted where it calls calloc, as it does to register destructors of threads.
namespace frisket::testing {

/// Choice of the allocations that fail.
enum class Failing : std::uint8_t {
    one,        ///< the n-th
    all_after,  ///< the n-th and all that follow
};

/// While it lives, allocations of all threads are counted and those that it names fail.
class FailingAllocations {
public:
    FailingAllocations(long nth, Failing which);
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;
    ~FailingAllocations();
    /// True if an allocation has failed.
    static bool has_failed();
};

/// An operation, and the bytes of everything that it may write.
struct Operation {
    std::function<void()> run;
    std::function<std::string()> bytes;
};

/// Runs an operation with its n-th allocation failing, for n = 1, 2, … until none fails, each on a new result
/// of `make`: it must throw std::bad_alloc or an Error, leave all bytes as they were, and
/// give, when it is run again on the same thread, the bytes of an operation to which nothing happened; an
/// operation that gets along without the memory must give these too.  On new threads, which have no
/// memory of former calls, and on this one, which has.
void check_every_allocation(const std::string& what, const std::function<Operation()>& make);

}  // namespace frisket::testing
