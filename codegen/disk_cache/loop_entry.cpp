// SPDX-License-Identifier: MIT
#include "loop_entry.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

namespace frisket::codegen {

namespace {

constexpr std::string_view magic = "frisket loops 2\n";
constexpr std::string_view suffix = ".loops";
constexpr std::size_t hash_digits = 32;

std::string hash_of(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    std::array<char, hash_digits + 1> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text.data();
}

void add(std::string& bytes, std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) bytes += static_cast<char>(number >> 8 * byte & 0xff);
}

/// Reads the bytes that `add` wrote, from the front; zeros after the end.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    std::uint64_t number() {
        std::uint64_t number = 0;
        for (std::size_t byte = 0; byte < 8 && byte < rest_.size(); ++byte)
            number |= std::uint64_t{static_cast<unsigned char>(rest_[byte])} << 8 * byte;
        rest_.remove_prefix(std::min<std::size_t>(8, rest_.size()));
        return number;
    }
    std::string text() {
        const std::uint64_t size = number();
        const std::string text(rest_.substr(0, size));
        rest_.remove_prefix(text.size());
        return text;
    }
    bool is_at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

}  // namespace

std::string to_bytes(const LoopEntry& entry) {
    std::string content;
    for (const std::string* text : {&entry.key, &entry.name, &entry.loops, &entry.target, &entry.object}) {
        add(content, text->size());
        content += *text;
    }
    for (const std::int64_t note : entry.notes) add(content, std::bit_cast<std::uint64_t>(note));
    return std::string(magic) + hash_of(content) + content;
}

std::optional<LoopEntry> parse_loop_entry(std::string_view bytes) {
    if (bytes.size() < magic.size() + hash_digits || !bytes.starts_with(magic)) return {};
    const std::string_view content = bytes.substr(magic.size() + hash_digits);
    if (bytes.substr(magic.size(), hash_digits) != hash_of(content)) return {};
    Reader reader(content);
    LoopEntry entry;
    for (std::string* text : {&entry.key, &entry.name, &entry.loops, &entry.target, &entry.object})
        *text = reader.text();
    while (!reader.is_at_end()) entry.notes.push_back(std::bit_cast<std::int64_t>(reader.number()));
    return entry;
}

std::string loop_file_name(std::string_view key) { return hash_of(key) + std::string(suffix); }

bool is_loop_file_name(std::string_view name) {
    return name.size() == hash_digits + suffix.size() && name.ends_with(suffix) &&
           name.find_first_not_of("0123456789abcdef") == hash_digits;
}

}  // namespace frisket::codegen
