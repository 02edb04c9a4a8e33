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

namespace {

constexpr std::int64_t word = 64;

/// A small extent for the name of a number, which no other name of the form has.
std::int64_t small_extent(std::size_t number) {
    constexpr std::int64_t small[] = {5, 7, 11, 13, 17, 19};
    return small[number % std::size(small)];
}

/// The classes of the extent of each name, the small one first.
std::vector<std::vector<std::int64_t>> classes_of(const ShapeForm& form,
                                                  const std::vector<std::string>& names) {
    // Loops differ for one element, for sums of more terms than a panel, and for last extents that are whole
    // words of bit masks.
    constexpr std::int64_t longer = 5001, longer_words = 79 * word;
    std::vector<std::vector<std::int64_t>> classes;
    for (std::size_t i = 0; i < names.size(); ++i) {
        classes.push_back({small_extent(i), 1, longer});
        if (is_last(form, names[i])) classes.back().insert(classes.back().end(), {word, longer_words});
    }
    return classes;
}

}  // namespace

std::vector<ExtentClass> extent_classes(const ShapeForm& form) {
    const std::vector<std::string> names = form.names();
    const auto classes = classes_of(form, names);
    std::vector<ExtentClass> all;
    const auto add = [&](bool has_threads, auto extent_of) {
        ExtentClass& made = all.emplace_back(ExtentClass{{}, has_threads});
        for (std::size_t i = 0; i < names.size(); ++i) made.extents[names[i]] = extent_of(i);
    };
    // With more names than a few, at most `most_together` of them differ from small extents at once.
    constexpr std::size_t few = 5, most_together = 3;
    std::vector<std::size_t> chosen(names.size(), 0);
    while (true) {
        const auto others =
            names.size() - static_cast<std::size_t>(std::ranges::count(chosen, std::size_t{0}));
        if (names.size() <= few || others <= most_together)
            add(others <= 1, [&](std::size_t i) { return classes[i][chosen[i]]; });
        std::size_t i = 0;
        while (i < names.size() && ++chosen[i] == classes[i].size()) chosen[i++] = 0;
        if (i == names.size()) break;
    }
    for (std::size_t empty = 0; empty < names.size(); ++empty) {
        add(false, [&](std::size_t i) { return i == empty ? 0 : small_extent(i); });
        add(false, [&](std::size_t i) { return i == empty ? 0 : word; });
    }
    // So many elements that threads pay, and that sums of gathered rows have stages of their own.
    constexpr double many = 600e3;
    const auto root = [&](double elements) {
        const auto rank = static_cast<double>(rank_of(form));
        return static_cast<std::int64_t>(std::pow(elements, 1.0 / rank)) + 3;
    };
    add(true, [&](std::size_t i) { return root(many) + static_cast<std::int64_t>(i); });
    add(true,
        [&](std::size_t i) { return (root(many) / word + 1 + static_cast<std::int64_t>(i % 2)) * word; });
    return all;
}

}  // namespace frisket::aot
