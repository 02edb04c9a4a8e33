// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/tensor/error.hpp"
#include "child.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <cstring>
#include <vector>

#include <dlfcn.h>

/// Calls of the system that fail, one at a time: in a child with fault_shim.c preloaded.
namespace frisket::testing {

/// Runs a child as run_child does, with the faults of fault_shim.c.
inline ChildResult run_child_with_faults(const std::string& test, const std::string& environment = "") {
    // Sanitizers want to be loaded first; they still see every call.
    const char* const options = std::getenv("ASAN_OPTIONS");
    // Calls are tried, not a disk: in memory all are fast.
    const char* const folder = access("/dev/shm", W_OK) == 0 ? "TMPDIR=/dev/shm " : "";
    return run_child(test, folder + environment + " LD_PRELOAD='" FAULT_SHIM "' ASAN_OPTIONS='" +
                               (options != nullptr ? options : "") + ":verify_asan_link_order=0'");
}

/// Runs such a child, all of whose checks must hold.
inline void check_child_with_faults(const std::string& test, const std::string& environment = "") {
    const ChildResult child = run_child_with_faults("child: " + test, environment);
    INFO(child.output);
    CHECK(child.status == 0);
    CHECK(count_of(child.output, "All tests passed") == 1);
}

struct DiskFault {
    int error = ENOSPC;
    bool is_lasting = false;  ///< all that follow fail as well
};

/// Kinds of failing disks and processes.
inline const std::vector<DiskFault> all_faults = {
    {ENOSPC, false}, {ENOSPC, true}, {EIO, false}, {EIO, true}, {EMFILE, true}};

/// Does something once for each of its calls that can fail, with that one failing, and checks the state
/// afterwards: after(whether it threw IoError).  Returns the names of those calls.  In a child as above.
template <class Work, class Look>
std::vector<std::string> each_fault(const DiskFault& kind, Work&& work, Look&& look) {
    const auto arm = reinterpret_cast<void (*)(long, int, int)>(dlsym(RTLD_DEFAULT, "frisket_fault_arm"));
    const auto disarm = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "frisket_fault_disarm"));
    REQUIRE(arm != nullptr);
    unsetenv("LD_PRELOAD");  // programs that are started have their own faults
    std::vector<std::string> failed;
    for (long nth = 1;; ++nth) {
        std::string refusal;
        arm(nth, kind.error, static_cast<int>(kind.is_lasting));
        try {
            work();
        } catch (const IoError& error) { refusal = error.what(); }
        const char* const name = disarm();
        INFO("call " << nth << ", " << (name != nullptr ? name : "none") << ", fails"
                     << (kind.is_lasting ? " as all after it: " : ": ") << std::strerror(kind.error) << "\n"
                     << refusal);
        look(!refusal.empty());
        if (name == nullptr) {
            CHECK(refusal.empty());
            return failed;
        }
        failed.emplace_back(name);
    }
}

}  // namespace frisket::testing
