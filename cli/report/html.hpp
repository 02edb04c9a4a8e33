// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Pieces of a page that is one file and needs no script.  Pictures have no words: those stand beside them,
/// in tables and captions, so that the page can be read as text.
namespace frisket::cli::html {

/// The style sheet of all our pages.
extern const char* const style;

std::string escaped(std::string_view text);
std::string code(std::string_view text);
/// "12.3 µs", "1.23 ms"
std::string duration(double seconds);
/// "1.25"
std::string number(double value, int digits = 3);
std::string percent(double share);  ///< "23.8 %", as measured
std::string density(double share);  ///< "0.1 %", as given
std::string paragraph(const std::string& inner, std::string_view kind = "");
std::string section(std::string_view title, const std::string& inner);
/// A section that unfolds when its summary is clicked; where pages are text, it is always shown.
std::string details(const std::string& summary, const std::string& inner);

struct Column {
    std::string_view head;
    bool is_number = false;
};

class Table {
public:
    /// No columns: no row of heads.
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    /// Cells are HTML, with or without their <td>.
    void row(const std::vector<std::string>& cells, std::string_view kind = "");
    bool is_empty() const { return rows_.empty(); }
    std::string text() const;

private:
    std::vector<Column> columns_;
    std::string rows_;
};

/// A drawing; kinds are classes of the style sheet.
class Svg {
public:
    Svg(double width, double height, std::string_view says) : width_(width), height_(height), says_(says) {}
    void rect(double x, double y, double width, double height, std::string_view kind, double radius = 0);
    void line(double x1, double y1, double x2, double y2, std::string_view kind);
    /// SVG's commands, "M0 0h3v3h-3z".
    void path(const std::string& commands, std::string_view kind);
    std::string text() const;

private:
    double width_, height_;
    std::string says_, inner_;
};

/// Words along an axis of a drawing, from its top or its left to its other end.
struct Axis { std::string top, middle, end; };

/// A drawing between its axes: `height` is what the upright one measures.
std::string plot(const Svg& drawing, const Axis& upright, std::string_view height, const Axis& level);

/// A word with the colour that it stands for.
std::string legend(std::string_view kind, std::string_view word);

/// A bar for a share of 0 to 1.
std::string bar(double share, std::string_view kind, std::string_view says);

}  // namespace frisket::cli::html
