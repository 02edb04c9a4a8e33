// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <frisket/runtime.hpp>

namespace gpu_check {

/// Results of a device beside those of the processor.
struct Check {
    std::string name;
    std::int64_t elements = 0;
    std::int64_t differing = 0;  ///< elements with other bits, NaN beside NaN apart
    std::int64_t most_ulp = 0;   ///< the largest distance, in floats between both
};

/// Runs every step and function on small tensors of a device, of sizes around those of vectors and blocks,
/// and compares what they write with what the processor writes.
std::vector<Check> run_checks(const frisket::Device& device);

}  // namespace gpu_check
