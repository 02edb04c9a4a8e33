// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <optional>

#include "../../ir/planner/enumerate.hpp"
#include "../../runtime/kernel/argument.hpp"
#include "specialization.hpp"

namespace frisket::codegen {

/// A tensor argument as loops take it; nothing for a number, which is passed with the host scalars.
struct LoopInput {
    std::optional<AnyTensor> values = {};
    std::optional<AnyTensor> mask = {};
    const AnyMasked* lender = nullptr;  ///< whose own mask this is: the user's, no result's
    bool is_ranked = false;             ///< a list, whose ranks are the mask
};

/// The memory of an argument where loops of a device, or of the processor, can read it, else a copy.
LoopInput input_of(const Argument& argument, bool on_device);
/// An argument of a form without memory: no element may be read.  `symbol`: its symbol in the graph that
/// reads it.
LoopInput unmade_input(const planning::ValueForm& form, const Symbol& symbol, bool on_device);
/// Bytes of the copies that input_of() makes.
std::int64_t copied_bytes(const Argument& argument, bool on_device);

InputForm form_of(const LoopInput& input);
bool is_contiguous_input(const LoopInput& input);
/// One dimension instead of several: the same memory.
void flatten(LoopInput& input);

}  // namespace frisket::codegen
