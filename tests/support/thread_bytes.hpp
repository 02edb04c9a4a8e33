// SPDX-License-Identifier: MIT
#pragma once
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

#include "../../runtime/tensor/tensor.hpp"
#include "child.hpp"

/// Comparison of bytes between numbers of threads, which a process reads once: a child prints a hash of its
/// bytes, and another child with other threads must print an equal one.
namespace frisket::testing {

/// Hash of bytes, computed in the child.  FNV-1a: any two results that differ differ in it, but for chance.
class ByteHash {
public:
    /// Adds a contiguous tensor.
    void add(const AnyTensor& tensor) {
        const auto* bytes = static_cast<const unsigned char*>(tensor.data());
        for (std::int64_t i = 0; i < tensor.size() * bytes_of(tensor.dtype()); ++i)
            hash_ = (hash_ ^ bytes[i]) * 1099511628211U;
    }
    void print() const { std::printf("hash %016llx\n", static_cast<unsigned long long>(hash_)); }

private:
    std::uint64_t hash_ = 1469598103934665603U;
};

/// Hash that the child, a hidden test, prints with the given number of threads.
inline std::string hash_with_threads(const std::string& test, const std::string& threads) {
    const ChildResult found = run_child(test, "FRISKET_NUM_THREADS=" + threads);
    INFO(found.output);
    const auto at = found.output.find("hash ");
    REQUIRE(at != std::string::npos);
    return found.output.substr(at, 21);
}

}  // namespace frisket::testing
