// SPDX-License-Identifier: MIT
// Checks that texts are UTF-8.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace frisket::runtime {

void append_utf8(std::string& text, std::uint32_t code);

/// Number of bytes of a text, from its begin, that are UTF-8: all, if it is UTF-8.
std::size_t valid_utf8_bytes(std::string_view text);

}  // namespace frisket::runtime
