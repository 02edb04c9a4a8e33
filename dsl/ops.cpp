// SPDX-License-Identifier: MIT
#include "ops.hpp"

#include "../runtime/error.hpp"

#include <array>
#include <string>

namespace frisket {

namespace {

template <class... Op>
constexpr auto infos_of(OpList<Op...>) {
    return std::array{Op::info...};
}

constexpr auto table = infos_of(Ops{});

}  // namespace

std::span<const OpInfo> op_table() { return table; }

const OpInfo& info(OpId id) {
    const auto number = static_cast<std::size_t>(id);
    if (number < table.size()) return table[number];
    throw ValueError("there is no operation " + std::to_string(number) + ": they are numbered 0 to " +
                     std::to_string(table.size() - 1));
}

OpId find_op(std::string_view name) {
    std::string names;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].name == name) return static_cast<OpId>(i);
        names += (i == 0 ? "" : " ") + std::string(table[i].name);
    }
    throw ValueError("there is no operation '" + std::string(name) + "': there are " + names);
}

}  // namespace frisket
