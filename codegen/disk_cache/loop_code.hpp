// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../jit/halide_jit.hpp"
#include "../strategies/schedule.hpp"
#include "loop_key.hpp"

namespace frisket::codegen {

/// Loops before they are compiled.
struct BuiltLoops {
    Halide::Pipeline pipeline;
    std::vector<Halide::Argument> arguments;
    std::vector<std::int64_t> notes = {};                         ///< facts about the loops for their caller
    std::shared_ptr<const std::vector<std::int64_t>> found = {};  ///< more of them, once they are compiled

    /// All facts.  Shape: the loops are compiled.
    std::vector<std::int64_t> all_notes() const;
};

/// Sources of loops, and how to build them.
struct LoopRecipe {
    std::string name;   ///< name of the step
    std::string loops;  ///< name of the loops within the step: for people
    std::string title;  ///< FRISKET_SHOW=loops prints them under it
    const TargetRow& target;
    const KeyText& key;   ///< all that `build` looks at
    bool is_kept = true;  ///< on disk, if that can be
    std::function<BuiltLoops()> build;
};

class LoadedObject;

/// Loops that can be called, for any number of threads at once.
class LoopCode {
public:
    /// Takes what kernel_module.hpp says, and writes entry 0; gives Halide's code.
    int call(std::span<const void*> argv, JitContext& context) const;
    const std::vector<std::int64_t>& notes() const noexcept { return notes_; }
    /// Memory of the code; 0 if there is none.
    std::size_t bytes() const;

private:
    friend LoopCode loop_code(const LoopRecipe& recipe);
    std::shared_ptr<const LoadedObject> loaded_;
    Halide::Callable callable_;  // if nothing is loaded
    bool is_of_device_ = false;
    std::vector<std::int64_t> notes_;
};

/// From the cache on disk; else compiled, and kept there if that can be.  FRISKET_SHOW=cache says which.
LoopCode loop_code(const LoopRecipe& recipe);

/// The reason why loops for a target are not kept on disk, or an empty text.
std::string why_not_kept(const TargetRow& target);

}  // namespace frisket::codegen
