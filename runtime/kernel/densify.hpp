// SPDX-License-Identifier: MIT
// Converts masked arguments to layouts that loops can walk.
#pragma once
#include <span>
#include <vector>

#include "argument.hpp"

namespace frisket::kernel_calls {

/// Arguments of which masked ones are brought into the layouts that a function gives.
std::vector<Argument> in_layouts(std::span<const Argument> given, Layout (*layout_of)(Layout));

/// Arguments of a device of which masked ones have layout strided, unless they are dense.
std::vector<Argument> densified_arguments(std::span<const Argument> given);

/// Arguments of a device whose masks loops read where they lie: lists of rows become bitmasks, those that are
/// in the order of columns or of blocks strided.
std::vector<Argument> densified_lists(std::span<const Argument> given);

/// The layout that densified_lists() gives an argument of this one.
Layout layout_of_densified_list(Layout layout);

/// Arguments with the elements of those of a device in tensors of the processor.
std::vector<Argument> arguments_on_processor(std::span<const Argument> given);

}  // namespace frisket::kernel_calls
