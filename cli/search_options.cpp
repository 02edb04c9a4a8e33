// SPDX-License-Identifier: MIT
#include "search.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace frisket::cli {

namespace {

/// Validates a time in seconds, from `least` to a year.
CLI::Validator seconds(double least) {
    constexpr double most = 365.0 * 24 * 60 * 60;
    const auto fault = [least](const std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return "";
        return text + " is no time: wanted seconds, " + (least > 0 ? "above 0" : "0 or more");
    };
    return {fault, "", "seconds"};
}

/// The words of an option as they were given.
std::string words_of(const CLI::Option& option) {
    const std::string name = option.get_positional() ? "" : "--" + option.get_lnames().at(0) + " ";
    std::string text;
    for (const std::string& value : option.results()) {
        if (option.get_delimiter() == ',' && !text.empty())
            text += "," + value;
        else
            text += " " + name + shell_word(value);
    }
    return text;
}

/// The command that was given, with some options changed.
std::string command_of(const CLI::App& verb, const std::map<std::string, std::string>& changed) {
    std::string text = verb.get_name();
    for (const CLI::App* above = verb.get_parent(); above != nullptr; above = above->get_parent())
        text = above->get_name() + " " + text;
    for (const CLI::Option* const option : verb.get_options())
        if (option->count() > 0 && !changed.contains(option->get_name())) text += words_of(*option);
    for (const auto& [name, value] : changed) text += " " + name + " " + shell_word(value);
    return text;
}

}  // namespace

std::string shell_word(const std::string& word) {
    const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_-+./,=:@%").find(c) != std::string_view::npos;
    });
    if (is_plain) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

void add_search_options(CLI::App& verb, SearchSettings& settings) {
    settings.command = [&verb](const std::map<std::string, std::string>& changed) {
        return command_of(verb, changed);
    };
    verb.add_option("--density", settings.pattern.density, "share of what is specified")
        ->capture_default_str();
    verb.add_option("--pattern", settings.pattern.kind,
                    "random, rows or blocks (of 16 by 16); random unless the layout is rows");
    verb.add_option("--mask", settings.pattern.mask, "a mask of one's own, a bool .npy file of that shape");
    verb.add_option("--budget", settings.budget, "seconds")->check(seconds(1e-3))->capture_default_str();
    verb.add_option("--report", settings.report,
                    "a page of what was found, written to this file, drawn by python3");
    verb.add_option("--map", settings.map, "seconds for the page's map of strategies, besides the budget")
        ->check(seconds(0))
        ->capture_default_str();
    verb.add_option("--db", settings.database, "the database, or off");
}

}  // namespace frisket::cli
