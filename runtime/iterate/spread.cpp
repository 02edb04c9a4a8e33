// SPDX-License-Identifier: MIT
#include "../kernel/spread.hpp"

#include "../layouts/layout_traits.hpp"

namespace frisket::kernel {

namespace {

/// Arguments of which masked ones have layout strided, unless loops read theirs.
std::vector<Argument> spread(std::span<const Argument> given, auto is_read) {
    std::vector<Argument> made(given.begin(), given.end());
    for (Argument& argument : made)
        if (argument.kind() == Argument::Kind::masked && !is_read(argument.masked().layout()))
            argument = argument.masked().to(Layout::strided);
    return made;
}

}  // namespace

std::vector<Argument> spread_arguments(std::span<const Argument> given) {
    return spread(given, [](Layout layout) { return layout == Layout::dense || layout == Layout::strided; });
}

std::vector<Argument> spread_lists(std::span<const Argument> given) {
    return spread(given, [](Layout layout) {
        return layout == Layout::dense || layout == Layout::strided || layout == Layout::bitmask;
    });
}

std::vector<Argument> arguments_on_processor(std::span<const Argument> given) {
    std::vector<Argument> made(given.begin(), given.end());
    for (Argument& argument : made) {
        if (argument.kind() == Argument::Kind::tensor) argument = argument.tensor().to(Device());
        if (argument.kind() == Argument::Kind::masked) argument = argument.masked().to(Device());
    }
    return made;
}

}  // namespace frisket::kernel
