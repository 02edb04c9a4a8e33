// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <frisket/runtime.hpp>

namespace gpu_check {

/// Sizes of the timed tensors.
struct Sizes {
    std::int64_t elements = std::int64_t{16} << 20;  ///< elements of dense Adam and of masked Adagrad
    std::int64_t rows = 1'000'000;                   ///< rows of a table of 128 columns
    std::int64_t listed_rows = 65'536;
    std::int64_t soft_rows = 16'384;  ///< rows of a softmax, of 1,024 columns
    std::int64_t sampled = 4'096;     ///< rows and columns of a sampled product, of rank 64
    double seconds = 0.5;             ///< seconds of each measurement
};

/// The time of a workload.
struct Speed {
    std::string name;
    std::int64_t bytes = 0;  ///< that must be read and written
    double seconds = 0;
    double gb_per_s() const { return static_cast<double>(bytes) / seconds * 1e-9; }
};

/// The copy of a tensor within the device first, against which the others are held.
std::vector<Speed> measure(const frisket::Device& device, const Sizes& sizes);

}  // namespace gpu_check
