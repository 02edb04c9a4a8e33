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

OpId find_op(std::string_view name) {
    std::string names;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].name == name) return static_cast<OpId>(i);
        names += (i == 0 ? "" : " ") + std::string(table[i].name);
    }
    throw ValueError("there is no operation '" + std::string(name) + "': there are " + names);
}

}  // namespace frisket
