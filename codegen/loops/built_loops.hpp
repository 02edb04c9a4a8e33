// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
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

/// One loop over the iterations of the loops of a Func or a stage, innermost first.
template <class Loops>
Halide::Var fuse_loops(Loops&& stage, const std::vector<Halide::Var>& loops, const std::string& name) {
    Halide::Var last = loops[0];
    for (std::size_t i = 1; i < loops.size(); ++i) {
        const Halide::Var both(name + std::to_string(i) + "_");
        stage.fuse(last, loops[i], both);
        last = both;
    }
    return last;
}

}  // namespace frisket::codegen
