// SPDX-License-Identifier: MIT
// Converts masked arguments to layouts that loops can walk.
#pragma once
#include <span>
#include <vector>

#include "argument.hpp"

namespace frisket::kernel_calls {

/// Arguments, with masked tensors converted to the layouts that a function returns.
std::vector<Argument> in_layouts(std::span<const Argument> given, Layout (*layout_of)(Layout));

/// Arguments of a device, with masked tensors in layout strided, unless they are dense.
std::vector<Argument> densified_arguments(std::span<const Argument> given);

/// Arguments of a device whose masks loops read in place: lists of rows become bitmasks, lists in the order
/// of columns or of blocks become strided.
std::vector<Argument> densified_lists(std::span<const Argument> given);

/// The layout to which densified_lists() converts an argument of this layout.
Layout layout_of_densified_list(Layout layout);

/// Arguments of a device with their elements copied to tensors of the processor.
std::vector<Argument> arguments_on_processor(std::span<const Argument> given);

}  // namespace frisket::kernel_calls
