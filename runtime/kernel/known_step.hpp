// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <span>

#include "argument.hpp"
#include "kernel_module.hpp"

namespace frisket::kernel_calls {

struct Call;

/// Small calls of a thread whose arguments are at the addresses of an earlier call's arguments, in tensors of
/// the same shape, dtype and layout: the earlier checks and preparation still hold, for the values of numbers
/// and the bytes of masks are part of neither.  Steps with a number that they update, and masks that must be
/// equal, are not known.

/// Runs a call if it is known.  Errors: as CompiledKernel::call of numbers and loops, before anything is
/// written.
bool run_known_step(KernelModule& source, std::span<const Argument> arguments);

/// Number of this thread's calls that were known.
std::size_t known_steps_found() noexcept;

/// Notes a call that has run as a flat loop: it is known from then on if its tensors are at the addresses of
/// the previous call's tensors.
void note_step(const Call& call) noexcept;

}  // namespace frisket::kernel_calls
