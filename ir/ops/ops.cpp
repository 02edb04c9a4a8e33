// SPDX-License-Identifier: MIT
#include "ops.hpp"

#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"

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

const OpInfo& info_of(OpId id) {
    const auto number = static_cast<std::size_t>(id);
    if (number < table.size()) return table[number];
    throw ValueError("there is no operation " + std::to_string(number) + ": they are numbered 0 to " +
                     std::to_string(table.size() - 1));
}

OpId find_op(std::string_view name) {
    const auto found = std::ranges::find(table, name, &OpInfo::name);
    if (found != std::end(table)) return static_cast<OpId>(found - std::begin(table));
    throw ValueError("there is no operation '" + std::string(name) + "': there are " +
                     runtime::joined(table, &OpInfo::name, " "));
}

}  // namespace frisket
