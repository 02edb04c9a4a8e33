// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace frisket::codegen {

/// Loops before they are compiled.
struct BuiltLoops {
    Halide::Pipeline pipeline;
    std::vector<Halide::Argument> arguments;
    std::vector<std::int64_t> notes = {};                         ///< facts about the loops for their caller
    std::shared_ptr<const std::vector<std::int64_t>> found = {};  ///< more of them, once they are compiled
    std::shared_ptr<const int> kernels = {};  ///< on a device: number of them, once they are compiled

    /// All facts.  Shape: the loops are compiled.
    std::vector<std::int64_t> all_notes() const {
        std::vector<std::int64_t> all = notes;
        if (found) all.insert(all.end(), found->begin(), found->end());
        return all;
    }
};

}  // namespace frisket::codegen
