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

/// Loops of a device, as Halide compiles them in memory.
class DeviceLoops final : public LoopFunction {
public:
    /// `kernels`: number of those that a call launches, if none is left out as it has nothing to do.
    DeviceLoops(Halide::Callable callable, int kernels) : callable_(std::move(callable)), kernels_(kernels) {}
    int call(std::span<const void*> argv, LoopContext& context) const override;
    std::size_t bytes() const noexcept override;
    int kernels() const noexcept override { return kernels_; }

private:
    Halide::Callable callable_;
    int kernels_;
};

/// From the cache on disk; else compiled, and kept there if that can be.  FRISKET_SHOW=cache says which.
LoopCode loop_code(const LoopRecipe& recipe);

/// The sources common to all loops of this build: frisket with its sources, Halide, and settings that change
/// both.
KeyText build_key();

/// The reason why loops for a target are not kept on disk, or an empty text.
std::string why_not_kept(const TargetRow& target);

}  // namespace frisket::codegen
