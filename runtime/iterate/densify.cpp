// SPDX-License-Identifier: MIT
#include "../kernel/densify.hpp"

#include "../layouts/layout_traits.hpp"

namespace frisket::kernel_calls {

std::vector<Argument> in_layouts(std::span<const Argument> given, Layout (*layout_of)(Layout)) {
    std::vector<Argument> made(given.begin(), given.end());
    for (Argument& argument : made) {
        if (argument.kind() != Argument::Kind::masked) continue;
        const Layout layout = argument.masked().layout(), wanted = layout_of(layout);
        if (wanted != layout) argument = argument.masked().to(wanted);
    }
    return made;
}

std::vector<Argument> densified_arguments(std::span<const Argument> given) {
    return in_layouts(given,
                      [](Layout layout) { return runtime::has_mask(layout) ? Layout::strided : layout; });
}

Layout layout_of_densified_list(Layout layout) {
    const bool is_read = !runtime::is_list(layout) || runtime::has_ranks(layout);
    return is_read ? layout : runtime::lists_rows(layout) ? Layout::bitmask : Layout::strided;
}

std::vector<Argument> densified_lists(std::span<const Argument> given) {
    return in_layouts(given, layout_of_densified_list);
}

std::vector<Argument> arguments_on_processor(std::span<const Argument> given) {
    std::vector<Argument> made(given.begin(), given.end());
    for (Argument& argument : made) {
        if (argument.kind() == Argument::Kind::tensor) argument = argument.tensor().to(Device());
        if (argument.kind() == Argument::Kind::masked) argument = argument.masked().to(Device());
    }
    return made;
}

}  // namespace frisket::kernel_calls
