// SPDX-License-Identifier: MIT
#include "option.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "../runtime/support/joined.hpp"
#include "../runtime/tensor/error.hpp"

namespace frisket::optim {

namespace {

[[noreturn]] void refuse_text(std::string_view rule, std::string_view name, std::string_view text,
                              const std::string& wanted) {
    throw ValueError(std::string(rule) + ": option " + std::string(name) + " is \"" + std::string(text) +
                     "\", wanted " + wanted);
}

/// Reads all of a text as a number.
template <class Number>
bool parse(std::string_view text, Number& number) {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    return end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

}  // namespace

std::string OptionRange::text() const {
    const bool has_low = low != range::finite.low, has_high = high != range::finite.high;
    std::string text = "a finite number";
    if (has_low) text += (low_is_excluded ? " above " : " of at least ") + detail::option_text(low);
    if (has_low && has_high) text += " and";
    if (has_high) text += (high_is_excluded ? " below " : " of at most ") + detail::option_text(high);
    return text;
}

std::string detail::option_text(double value) {
    std::string text(32, '\0');
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    text.resize(static_cast<std::size_t>(end.ptr - text.data()));
    return text;
}

std::string Option::text(const void* rule) const {
    const double value = number(rule);
    return choice_count > 0 ? std::string(choices.at(static_cast<std::size_t>(value)))
                            : detail::option_text(value);
}

void Option::set(std::string_view rule_name, void* rule, std::string_view text) const {
    if (choice_count > 0) {
        const auto names = std::span(choices).first(choice_count);
        const auto found = std::ranges::find(names, text);
        if (found == names.end())
            refuse_text(rule_name, name, text,
                        is_whole ? "true or false" : "one of " + runtime::joined(names, {}, " "));
        return put(rule, static_cast<double>(found - names.begin()));
    }
    double value = 0;
    int whole = 0;
    const bool is_number = is_whole ? parse(text, whole) : parse(text, value);
    if (is_whole) value = whole;
    if (!is_number || !range.contains(value))
        refuse_text(rule_name, name, text, (is_whole ? "a whole number, " : "") + range.text());
    put(rule, value);
}

void Option::refuse(std::string_view rule_name, double value) const {
    if (choice_count > 0) refuse_choice(std::string(rule_name) + ": option " + std::string(name), value);
    refuse_text(rule_name, name, detail::option_text(value), range.text());
}

void Option::refuse_choice(std::string_view where, double value) const {
    throw ValueError(std::string(where) + ": number " + detail::option_text(value) +
                     " was cast to the option and is no value of it: use one of " +
                     runtime::joined(std::span(choices).first(choice_count)));
}

}  // namespace frisket::optim
