// SPDX-License-Identifier: MIT
#include "shape_forms.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "../../runtime/tensor/error.hpp"

namespace frisket::aot {

namespace {

using Extents = std::map<std::string, std::int64_t>;

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_name(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(separator));
        if (!part.empty() || separator != ' ') parts.emplace_back(part);
        text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    return parts;
}

/// The most dimensions of a parameter.
std::size_t rank_of(const ShapeForm& form) {
    std::size_t rank = 1;
    for (const auto& extents : form.extents) rank = std::max(rank, extents.size());
    return rank;
}

/// True if a parameter's last extent has this name.
bool is_last(const ShapeForm& form, const std::string& name) {
    return std::ranges::any_of(
        form.extents, [&](const auto& extents) { return !extents.empty() && extents.back() == name; });
}

}  // namespace

std::vector<std::string> ShapeForm::names() const {
    std::vector<std::string> found;
    for (const auto& parameter : extents)
        for (const std::string& extent : parameter)
            if (!is_number(extent) && std::ranges::find(found, extent) == found.end())
                found.push_back(extent);
    return found;
}

std::vector<Shape> ShapeForm::shapes(const Extents& values) const {
    std::vector<Shape> made;
    for (const auto& parameter : extents) {
        Shape& shape = made.emplace_back();
        for (const std::string& extent : parameter)
            shape.push_back(is_number(extent) ? std::stoll(extent) : values.at(extent));
    }
    return made;
}

std::optional<std::string_view> words_for(std::string_view step, std::string_view words) {
    const auto colon = words.find(':');
    if (colon == words.npos) return words;
    if (words.substr(0, colon) != step) return {};
    return words.substr(colon + 1);
}

ShapeForm shape_form(std::string_view words, std::span<const Parameter> parameters) {
    ShapeForm form{std::vector<std::vector<std::string>>(parameters.size())};
    std::vector<bool> is_given(parameters.size());
    for (const std::string& word : split(words, ' ')) {
        const auto equals = word.find('=');
        const auto parameter = std::ranges::find(parameters, word.substr(0, equals), &Parameter::name);
        if (equals == std::string::npos || parameter == parameters.end() || !is_tensor(parameter->kind))
            throw ShapeError(
                "SHAPES says " + word +
                ", and there is no tensor of that name: write NAME=rows,columns for each tensor");
        const auto i = static_cast<std::size_t>(parameter - parameters.begin());
        if (is_given[i]) throw ShapeError("SHAPES gives " + parameter->name + " twice: give each once");
        is_given[i] = true;
        form.extents[i] = split(std::string_view(word).substr(equals + 1), ',');
        for (const std::string& extent : form.extents[i])
            if (!is_number(extent) && !is_name(extent))
                throw ShapeError("SHAPES gives " + parameter->name + " the extent \"" + extent +
                                 "\": an extent is a name, rows for instance, or a number");
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (is_tensor(parameters[i].kind) && !is_given[i])
            throw ShapeError("SHAPES gives no shape to " + parameters[i].name +
                             ": write NAME=rows,columns for each tensor");
    return form;
}

std::vector<ShapeForm> usual_forms(std::span<const Parameter> parameters) {
    std::vector<ShapeForm> forms;
    std::vector<std::string> extents;
    for (const char* const name : {"a", "b", "c", "d"}) {
        extents.emplace_back(name);
        ShapeForm& form = forms.emplace_back();
        for (const Parameter& parameter : parameters)
            form.extents.push_back(is_tensor(parameter.kind) ? extents : std::vector<std::string>());
    }
    return forms;
}

std::vector<Extents> extent_classes(const ShapeForm& form) {
    const std::vector<std::string> names = form.names();
    std::vector<Extents> all;
    const auto add = [&](auto extent_of) {
        Extents& made = all.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) made[names[i]] = extent_of(i);
    };
    constexpr std::int64_t small[] = {5, 7, 11, 13, 17, 19};
    const auto small_of = [&](std::size_t i) { return small[i % std::size(small)]; };
    add(small_of);
    // Whole words of bit masks.  Of many dimensions only the last are words, as their product is large.
    const std::size_t rank = rank_of(form);
    const auto is_word = [&](std::size_t i) { return rank <= 2 || is_last(form, names[i]); };
    add([&](std::size_t i) { return is_word(i) ? 64 : small_of(i); });
    // So many elements that threads pay, and that sums of gathered rows have stages of their own.
    constexpr double many = 600e3;
    const auto root = [](double elements, std::size_t dims) {
        return static_cast<std::int64_t>(std::pow(elements, 1.0 / static_cast<double>(dims))) + 3;
    };
    add([&](std::size_t i) { return root(many, rank) + static_cast<std::int64_t>(i); });
    const std::int64_t words = rank <= 2 ? root(many, rank) / 64 + 1 : 1,
                       rest = root(many / 64, std::max<std::size_t>(rank, 2) - 1);
    add([&](std::size_t i) { return is_word(i) ? (words + static_cast<std::int64_t>(i % 2)) * 64 : rest; });
    // Long rows and long sums of products.
    constexpr std::int64_t longer = 5001, smaller[] = {3, 5, 7};
    const auto beside_longer = [&](std::size_t i) {
        return rank <= 3 ? small_of(i) : smaller[i % std::size(smaller)];
    };
    for (std::size_t one = 0; one < names.size(); ++one)
        add([&](std::size_t i) { return i == one ? longer : beside_longer(i); });
    for (std::size_t one = 0; one < names.size(); ++one) {
        add([&](std::size_t i) { return i == one ? 0 : small_of(i); });
        add([&](std::size_t i) { return i == one ? 0 : 64; });
    }
    // Extents of 1, which are broadcast: of every set of few names, else of each alone.
    constexpr std::size_t few = 4;
    const std::size_t sets = names.size() <= few ? std::size_t{1} << names.size() : names.size() + 1;
    for (std::size_t set = 1; set < sets; ++set)
        add([&](std::size_t i) {
            const bool is_one = names.size() <= few ? (set >> i & 1) != 0 : i + 1 == set;
            return is_one ? 1 : small_of(i);
        });
    return all;
}

}  // namespace frisket::aot
