// SPDX-License-Identifier: MIT
#include "utf8.hpp"

#include <algorithm>
#include <iterator>

namespace frisket::runtime {

namespace {

/// The bytes of the character that a text begins with, or 0 if it begins with none.
std::size_t character_bytes(std::string_view text) {
    struct Row {
        unsigned char first, last, least_next, most_next;
        std::size_t bytes;
    };
    // Source: https://www.unicode.org/versions/Unicode15.0.0/ch03.pdf, table 3-7.
    constexpr Row rows[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return 1;
    const auto* const row = std::ranges::find_if(
        rows, [&](const Row& one) { return byte(0) >= one.first && byte(0) <= one.last; });
    if (row == std::end(rows) || text.size() < row->bytes) return 0;
    if (byte(1) < row->least_next || byte(1) > row->most_next) return 0;
    for (std::size_t i = 2; i < row->bytes; ++i)
        if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    return row->bytes;
}

}  // namespace

void append_utf8(std::string& text, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | code >> 6);
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3F));
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
}

std::size_t valid_utf8_bytes(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = character_bytes(text.substr(at));
        if (bytes == 0) return at;
        at += bytes;
    }
    return text.size();
}

}  // namespace frisket::runtime
