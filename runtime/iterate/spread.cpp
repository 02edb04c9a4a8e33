// SPDX-License-Identifier: MIT
#include "../kernel/spread.hpp"

#include "../layouts/layout_traits.hpp"

namespace frisket::kernel {

std::vector<Argument> spread_arguments(std::span<const Argument> given) {
    std::vector<Argument> made(given.begin(), given.end());
    for (Argument& argument : made) {
        if (argument.kind() != Argument::Kind::masked) continue;
        const Layout layout = argument.masked().layout();
        if (layout != Layout::dense && layout != Layout::strided)
            argument = argument.masked().to(Layout::strided);
    }
    return made;
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
