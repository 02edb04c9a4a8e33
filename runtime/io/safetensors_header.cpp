// SPDX-License-Identifier: MIT
#include "safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "../support/joined.hpp"
#include "../tensor/error.hpp"
#include "utf8.hpp"

namespace frisket::safetensors {

namespace {

/// Element types in the format's words, in the order of the table of dtypes.
struct DTypeRow {
    DType dtype;
    std::string_view name;
};
constexpr DTypeRow dtype_rows[] = {
    {.dtype = DType::boolean, .name = "BOOL"}, {.dtype = DType::uint8, .name = "U8"},
    {.dtype = DType::int32, .name = "I32"},    {.dtype = DType::int64, .name = "I64"},
    {.dtype = DType::float32, .name = "F32"},  {.dtype = DType::float64, .name = "F64"},
    {.dtype = DType::float16, .name = "F16"},  {.dtype = DType::bfloat16, .name = "BF16"},
};
static_assert(std::ranges::equal(dtype_rows, dtypes, {}, &DTypeRow::dtype, &DTypeInfo::dtype));

/// Objects, strings, and lists of integers.
class Parser {
public:
    Parser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

    Header parse() {
        at_ = runtime::valid_utf8_bytes(text_);
        if (at_ != text_.size()) refuse("UTF-8");
        at_ = 0;
        object([&](std::string name) {
            if (name == "__metadata__") return metadata();
            header_.entries.push_back(entry(std::move(name)));
        });
        skip_spaces();
        if (at_ != text_.size()) refuse("the end of the header");
        return std::move(header_);
    }

private:
    [[noreturn]] void refuse(const std::string& wanted) const {
        throw IoError(where_ + ": byte " + std::to_string(8 + at_) +
                      " of the file is not what is wanted there: " + wanted);
    }
    void skip_spaces() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }
    bool accept(char wanted) {
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted)) refuse(std::string("'") + wanted + "'");
    }

    /// Calls value(key) for each key, where its value begins.
    void object(const auto& value) {
        std::set<std::string> keys;  // no hash: who makes a file could make all keys have one
        expect('{');
        if (accept('}')) return;
        do {
            std::string key = string();
            if (!keys.insert(key).second) refuse("another key, " + key + " came before");
            expect(':');
            value(std::move(key));
        } while (accept(','));
        expect('}');
    }

    std::string string() {
        expect('"');
        std::string text;
        while (at_ < text_.size() && text_[at_] != '"') {
            const char c = text_[at_++];
            if (static_cast<unsigned char>(c) < ' ') refuse("a string without control characters");
            if (c == '\\')
                escape(text);
            else
                text += c;
        }
        if (at_ == text_.size()) refuse("the end of a string");
        ++at_;
        return text;
    }

    void escape(std::string& text) {
        constexpr std::string_view codes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const char c = at_ < text_.size() ? text_[at_++] : '\0';
        if (const auto known = codes.find(c); known != std::string_view::npos) {
            text += meanings[known];
            return;
        }
        if (c != 'u') refuse("an escape of JSON");
        std::uint32_t code = hex4();
        if (code >= 0xD800 && code < 0xDC00) {
            if (!text_.substr(at_).starts_with("\\u")) refuse("the second half of a surrogate pair");
            at_ += 2;
            const std::uint32_t low = hex4();
            if (low < 0xDC00 || low > 0xDFFF) refuse("the second half of a surrogate pair");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xDC00 && code < 0xE000) {
            refuse("the first half of a surrogate pair");
        }
        runtime::append_utf8(text, code);
    }

    std::uint32_t hex4() {
        std::uint32_t code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            constexpr std::string_view digits = "0123456789abcdef";
            const char c = at_ < text_.size() ? text_[at_] : ' ';
            const auto digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
            if (digit == std::string_view::npos) refuse("four hexadecimal digits");
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        return code;
    }

    std::uint64_t number() {
        skip_spaces();
        const auto is_digit = [&] { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; };
        if (!is_digit()) refuse("a whole number from 0 on");
        if (text_[at_] == '0' && at_ + 1 < text_.size() && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '9')
            refuse("a number without leading zeros");
        std::uint64_t value = 0;
        for (; is_digit(); ++at_)
            if (__builtin_mul_overflow(value, 10u, &value) ||
                __builtin_add_overflow(value, static_cast<unsigned>(text_[at_] - '0'), &value) ||
                value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                refuse("a number below 2^63");
        return value;
    }

    std::vector<std::uint64_t> numbers() {
        std::vector<std::uint64_t> list;
        expect('[');
        if (accept(']')) return list;
        do list.push_back(number());
        while (accept(','));
        expect(']');
        return list;
    }

    void metadata() {
        object([&](std::string key) { header_.metadata[std::move(key)] = (skip_spaces(), string()); });
    }

    Entry entry(std::string name) {
        Entry entry{.name = std::move(name)};
        bool has_dtype = false, has_shape = false, has_place = false;
        object([&](const std::string& key) {
            if (key == "dtype") {
                has_dtype = true;
                const std::string text = string();
                const auto* const row = std::ranges::find(dtype_rows, text, &DTypeRow::name);
                if (text.empty()) refuse("a dtype");
                if (row == std::end(dtype_rows))
                    entry.foreign_dtype = text;
                else
                    entry.dtype = row->dtype;
            } else if (key == "shape") {
                has_shape = true;
                for (const std::uint64_t extent : numbers())
                    entry.shape.push_back(static_cast<std::int64_t>(extent));
            } else if (key == "data_offsets") {
                has_place = true;
                const std::vector<std::uint64_t> place = numbers();
                if (place.size() != 2) refuse("two offsets");
                entry.begin = place[0];
                entry.end = place[1];
            } else {
                refuse("dtype, shape or data_offsets, it is " + key);
            }
        });
        if (!has_dtype || !has_shape || !has_place) refuse("dtype, shape and data_offsets of " + entry.name);
        return entry;
    }

    std::string_view text_;
    const std::string& where_;
    std::size_t at_ = 0;
    Header header_;
};

std::string quoted(const std::string& text) {
    std::string json = "\"";
    for (const char c : text) {
        constexpr std::string_view hex = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            json += std::string("\\") + c;
        else if (byte < ' ')
            json += std::string("\\u00") + hex[byte >> 4] + hex[byte & 15];
        else
            json += c;
    }
    return json + "\"";
}

std::string listed(const auto& numbers) {
    return "[" + runtime::joined(numbers, [](auto number) { return std::to_string(number); }, ",") + "]";
}

}  // namespace

Header parse_header(std::string_view text, const std::string& where) { return Parser(text, where).parse(); }

std::string dtype_names() { return runtime::joined(dtype_rows, &DTypeRow::name); }

std::string format_header(const Header& header) {
    std::string text = "{", comma;
    if (!header.metadata.empty()) {
        text += "\"__metadata__\":{";
        for (const auto& [key, value] : header.metadata) {
            text += comma + quoted(key) + ":" + quoted(value);
            comma = ",";
        }
        text += "}";
    }
    for (const Entry& entry : header.entries) {
        text += comma + quoted(entry.name) + ":{\"dtype\":\"" +
                std::string(dtype_rows[static_cast<int>(entry.dtype)].name) +
                "\",\"shape\":" + listed(entry.shape) +
                ",\"data_offsets\":" + listed(std::array{entry.begin, entry.end}) + "}";
        comma = ",";
    }
    text += "}";
    text.append((8 - text.size() % 8) % 8, ' ');  // so that elements begin at a multiple of 8
    return text;
}

}  // namespace frisket::safetensors
