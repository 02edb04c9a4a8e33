// SPDX-License-Identifier: MIT
#include "npy_header.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "../support/joined.hpp"
#include "../tensor/error.hpp"

namespace frisket::npy {

namespace {

/// Element types in NumPy's words, in the order of the table of dtypes; empty: it has none.
struct DTypeRow {
    DType dtype;
    std::string_view descr;
    std::string_view codes;  ///< letters of the same type on platforms of 64 bits

    bool is_of_one_byte() const { return descr[0] == '|'; }
    /// True for "f4", "f" and "float32".
    bool is_called(std::string_view name) const {
        return name == descr.substr(1) || name == name_of(dtype) ||
               (name.size() == 1 && codes.find(name) != std::string_view::npos);
    }
};
constexpr DTypeRow dtype_rows[] = {
    {.dtype = DType::boolean, .descr = "|b1", .codes = "?"},
    {.dtype = DType::uint8, .descr = "|u1", .codes = "B"},
    {.dtype = DType::int32, .descr = "<i4", .codes = "i"},
    {.dtype = DType::int64, .descr = "<i8", .codes = "lq"},
    {.dtype = DType::float32, .descr = "<f4", .codes = "f"},
    {.dtype = DType::float64, .descr = "<f8", .codes = "d"},
    {.dtype = DType::float16, .descr = "<f2", .codes = "e"},
    {.dtype = DType::bfloat16, .descr = "", .codes = ""},
};
static_assert(std::ranges::equal(dtype_rows, dtypes, {}, &DTypeRow::dtype, &DTypeInfo::dtype));

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// Reads the dict as Python would: white space, strings without escapes, decimal numbers.
class Parser {
public:
    Parser(std::string_view text, std::size_t begin, const std::string& where)
        : text_(text), begin_(begin), where_(where) {}

    Header parse() {
        skip_spaces();
        expect('{', "'{'");
        for (skip_spaces(); !accept('}'); skip_spaces()) {
            entry();
            skip_spaces();
            if (accept(',')) continue;
            expect('}', "',' or '}'");
            break;
        }
        for (const Key& key : keys)
            if (!is_seen_[&key - keys.data()])
                refuse("the header has no key " + quoted(key.name) +
                       ", wanted 'descr', 'fortran_order' and 'shape'");
        padding();
        return std::move(header_);
    }

private:
    struct Key {
        std::string_view name;
        void (Parser::*value)();
    };
    static const std::array<Key, 3> keys;

    [[noreturn]] void refuse(const std::string& sentence) const { throw IoError(where_ + ": " + sentence); }

    [[noreturn]] void refuse_byte(const std::string& wanted) const {
        const std::string place = "byte " + std::to_string(begin_ + at_) + " of the file";
        if (at_ == text_.size()) refuse("the header ends before " + place + ", wanted " + wanted);
        std::array<char, 8> hex{};
        (void)std::snprintf(hex.data(), hex.size(), "0x%02x", static_cast<unsigned char>(text_[at_]));
        const bool is_printable = text_[at_] >= ' ' && text_[at_] <= '~';
        refuse(place + " is " + (is_printable ? quoted(text_.substr(at_, 1)) : hex.data()) + ", wanted " +
               wanted);
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool accept(char wanted) {
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    bool accept(std::string_view wanted) {
        if (!text_.substr(at_).starts_with(wanted)) return false;
        at_ += wanted.size();
        return true;
    }
    void expect(char wanted, const std::string& description) {
        if (!accept(wanted)) refuse_byte(description);
    }
    void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t\n\r\f", at_), text_.size()); }

    void entry() {
        const std::string_view name = string("the name of a key in quotes");
        const auto* const key = std::ranges::find(keys, name, &Key::name);
        if (key == keys.end())
            refuse("the header has the key " + quoted(name) +
                   ", wanted 'descr', 'fortran_order' and 'shape' alone");
        bool& is_seen = is_seen_[key - keys.begin()];
        if (is_seen) refuse("the header has the key " + quoted(name) + " twice, wanted it once");
        is_seen = true;
        skip_spaces();
        expect(':', "':'");
        skip_spaces();
        (this->*key->value)();
    }

    std::string_view string(const std::string& description) {
        if (text_.substr(at_).starts_with("u'") || text_.substr(at_).starts_with("u\"")) ++at_;
        const char quote = peek();
        if (quote != '\'' && quote != '"') refuse_byte(description);
        const std::size_t first = ++at_;
        for (; peek() != quote; ++at_)
            if (peek() < ' ' || peek() > '~' || peek() == '\\')
                refuse_byte("the rest of a string in quotes, printable and without escapes");
        return text_.substr(first, at_++ - first);
    }

    void descr() {
        if (peek() == '[' || peek() == '(')
            refuse("the dtype is structured, wanted plain numbers: save each of its fields as an array");
        const std::string_view found = string("a dtype in quotes");
        const bool has_order =
            !found.empty() && std::string_view("<>=|").find(found[0]) != std::string_view::npos;
        const std::string_view name = found.substr(has_order ? 1 : 0);
        std::string known;
        for (const DTypeRow& row : dtype_rows) {
            if (row.descr.empty()) continue;
            known += (known.empty() ? "" : ", ") + quoted(row.descr);
            if (!row.is_called(name)) continue;
            if (found[0] == '>' && !row.is_of_one_byte())
                refuse("the elements are big-endian, " + quoted(found) + ", wanted " + quoted(row.descr) +
                       ": save array.astype(" + quoted(row.descr) + ")");
            header_.dtype = row.dtype;
            return;
        }
        if (found.ends_with('O'))
            refuse("the elements are Python objects, " + quoted(found) + ", wanted numbers, one of " + known);
        refuse("the dtype is " + quoted(found) + ", wanted one of " + known + ": save array.astype(…)");
    }

    void order() {
        if (accept("True"))
            header_.is_fortran_order = true;
        else if (!accept("False"))
            refuse_byte("True or False");
    }

    void shape() {
        expect('(', "the '(' of the shape");
        bool has_comma = true;
        for (skip_spaces(); !accept(')'); skip_spaces()) {
            if (!has_comma) refuse_byte("',' or ')'");
            header_.shape.push_back(extent());
            skip_spaces();
            has_comma = accept(',');
        }
        if (header_.shape.size() == 1 && !has_comma)
            refuse("the shape is a number, (" + std::to_string(header_.shape[0]) + "), wanted a tuple, (" +
                   std::to_string(header_.shape[0]) + ",)");
    }

    std::int64_t extent() {
        if (peek() == '-') refuse_byte("an extent, 0 or more");
        const std::size_t first = at_;
        std::int64_t number = 0;
        for (; peek() >= '0' && peek() <= '9'; ++at_)
            if (__builtin_mul_overflow(number, 10, &number) ||
                __builtin_add_overflow(number, peek() - '0', &number))
                refuse("an extent begins with " + std::string(text_.substr(first, at_ + 1 - first)) +
                       ", wanted at most 2^63 - 1");
        if (at_ == first) refuse_byte("an extent");
        if (text_[first] == '0' && at_ > first + 1) {
            at_ = first;
            refuse_byte("an extent without leading zeros");
        }
        accept('L');  // Python 2 writes it after a long
        return number;
    }

    void padding() {
        skip_spaces();
        if (at_ != text_.size()) refuse_byte("white space up to the end of the header");
    }

    std::string_view text_;
    std::size_t begin_, at_ = 0;
    const std::string& where_;
    Header header_;
    std::array<bool, 3> is_seen_{};
};

const std::array<Parser::Key, 3> Parser::keys = {{
    {.name = "descr", .value = &Parser::descr},
    {.name = "fortran_order", .value = &Parser::order},
    {.name = "shape", .value = &Parser::shape},
}};

}  // namespace

Header parse_header(std::string_view text, std::size_t begin, const std::string& where) {
    return Parser(text, begin, where).parse();
}

std::string format_header(DType dtype, const Shape& shape, const std::string& where) {
    const std::string_view descr = dtype_rows[static_cast<int>(dtype)].descr;
    if (descr.empty())
        throw DTypeError(where + ": the tensor is " + std::string(name_of(dtype)) +
                         ", which NumPy's files do not have: save tensor.to(DType::float32)");
    std::string text = "{'descr': " + quoted(descr) + ", 'fortran_order': False, 'shape': (";
    text += runtime::joined(shape, [](std::int64_t extent) { return std::to_string(extent); });
    text += shape.size() == 1 ? ",), }" : "), }";
    const std::size_t begin = magic.size() + 4;
    text.append(63 - (begin + text.size()) % 64, ' ');
    text += '\n';
    if (text.size() > max_text)
        throw IoError(where + ": a tensor of " + std::to_string(shape.size()) +
                      " dimensions, wanted fewer: reshape it");
    const auto length = static_cast<unsigned>(text.size());
    return std::string(magic) + '\1' + '\0' + static_cast<char>(length % 256) +
           static_cast<char>(length / 256) + text;
}

}  // namespace frisket::npy
