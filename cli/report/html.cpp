// SPDX-License-Identifier: MIT
#include "html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace frisket::cli::html {

namespace {

/// A coordinate of SVG: rounded to tenths, without zeros at its end.
std::string at(double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", x);
    const std::string made = text.data();
    return made.ends_with(".0") ? made.substr(0, made.size() - 2) : made;
}

std::string of_kind(std::string_view kind) {
    return kind.empty() ? "" : " class=\"" + std::string(kind) + "\"";
}

std::string element(const char* name, const std::string& inner, std::string_view kind = "") {
    return std::string("<") + name + of_kind(kind) + ">" + inner + "</" + name + ">";
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string made;
    for (const char letter : text) switch (letter) {
            case '&': made += "&amp;"; break;
            case '<': made += "&lt;"; break;
            case '>': made += "&gt;"; break;
            case '"': made += "&quot;"; break;
            default: made += letter;
        }
    return made;
}

std::string code(std::string_view text) { return element("code", escaped(text)); }

std::string number(double value, int digits) {
    std::array<char, 48> text{};
    const int whole = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
    std::snprintf(text.data(), text.size(), "%.*f", std::max(0, digits - std::max(whole, 1)), value);
    return text.data();
}

std::string duration(double seconds) {
    if (seconds < 1e-6) return number(seconds * 1e9) + " ns";
    if (seconds < 1e-3) return number(seconds * 1e6) + " µs";
    return seconds < 1 ? number(seconds * 1e3) + " ms" : number(seconds) + " s";
}

std::string percent(double share) { return number(share * 100, share < 0.1 ? 2 : 3) + " %"; }

std::string density(double share) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g %%", share * 100);
    return text.data();
}

std::string paragraph(const std::string& inner, std::string_view kind) {
    return element("p", inner, kind) + "\n";
}

std::string section(std::string_view title, const std::string& inner) {
    return "<section>\n" + element("h2", escaped(title)) + "\n" + inner + "</section>\n";
}

std::string details(const std::string& summary, const std::string& inner) {
    return "<details>" + element("summary", summary) + "\n" + inner + "</details>\n";
}

void Table::row(const std::vector<std::string>& cells, std::string_view kind) {
    rows_ += "<tr" + of_kind(kind) + ">";
    for (std::size_t i = 0; i < cells.size(); ++i)
        rows_ += cells[i].starts_with("<td") ? cells[i]
                                             : element("td", cells[i], columns_[i].is_number ? "number" : "");
    rows_ += "</tr>\n";
}

std::string Table::text() const {
    std::string heads;
    for (const Column& column : columns_)
        heads += element("th", escaped(column.head), column.is_number ? "number" : "");
    if (!heads.empty()) heads = "<thead><tr>" + heads + "</tr></thead>\n";
    return "<div class=\"scroll\"><table>\n" + heads + "<tbody>\n" + rows_ + "</tbody></table></div>\n";
}

void Svg::rect(double x, double y, double width, double height, std::string_view kind, double radius) {
    inner_ += "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(width) + "\" height=\"" +
              at(height) + "\"" + (radius > 0 ? " rx=\"" + at(radius) + "\"" : "") + of_kind(kind) + "/>";
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view kind) {
    inner_ += "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) +
              "\"" + of_kind(kind) + "/>";
}

void Svg::path(const std::string& commands, std::string_view kind) {
    if (!commands.empty()) inner_ += "<path d=\"" + commands + "\"" + of_kind(kind) + "/>";
}

std::string Svg::text() const {
    const std::string width = at(width_), height = at(height_);
    return "<svg width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
           "\" role=\"img\" aria-label=\"" + escaped(says_) + "\">" + inner_ + "</svg>";
}

std::string plot(const Svg& drawing, const Axis& upright, std::string_view height, const Axis& level) {
    const auto ends = [](const Axis& axis, std::string_view kind) {
        return "<div class=\"" + std::string(kind) + "\"><span>" + escaped(axis.top) + "</span> <span>" +
               escaped(axis.middle) + "</span> <span>" + escaped(axis.end) + "</span></div>";
    };
    return "<div class=\"scroll\"><div class=\"plot\"><div class=\"title\">" + escaped(height) + "</div>" +
           ends(upright, "upright") + drawing.text() + ends(level, "level") + "</div></div>\n";
}

std::string legend(std::string_view kind, std::string_view word) {
    constexpr double side = 11;
    Svg svg(side, side, "");
    svg.rect(0, 0, side, side, kind);
    return svg.text() + " " + escaped(word);
}

std::string bar(double share, std::string_view kind, std::string_view says) {
    constexpr double width = 200, height = 14;
    Svg svg(width, height, says);
    svg.rect(0, 0, width, height, "track", 2);
    svg.rect(0, 0, std::clamp(share, 0.0, 1.0) * width, height, kind, 2);
    return svg.text();
}

}  // namespace frisket::cli::html
