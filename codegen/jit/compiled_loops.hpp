// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../loops/built_loops.hpp"
#include "../loops/loop_code.hpp"
#include "../loops/loop_key.hpp"
#include "../loops/schedule.hpp"

namespace frisket::codegen {

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

/// From the cache on disk; else compiled, and stored there if possible.  FRISKET_SHOW=cache prints which.
LoopCode loop_code(const LoopRecipe& recipe);

/// The sources common to all loops of this build: frisket with its sources, Halide, and settings that change
/// both.
KeyText build_key();

/// The reason why loops for a target are not stored on disk, or an empty text.
std::string why_not_kept(const TargetRow& target);

}  // namespace frisket::codegen
