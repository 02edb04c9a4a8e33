// SPDX-License-Identifier: MIT
#include "html.hpp"
#include "sections.hpp"

#include <algorithm>

namespace frisket::cli {

namespace {

constexpr int cell = 3;  // pixels of an element

/// A path over all elements that are set: a rectangle for each run within a row.
std::string runs(const std::vector<bool>& set, std::int64_t rows, std::int64_t columns) {
    std::string path;
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns;) {
            const auto is_set = [&](std::int64_t at) {
                return set[static_cast<std::size_t>(y * columns + at)];
            };
            if (!is_set(x)) {
                ++x;
                continue;
            }
            std::int64_t end = x;
            while (end < columns && is_set(end)) ++end;
            const std::string width = std::to_string((end - x) * cell);
            path += "M" + std::to_string(x * cell) + " " + std::to_string(y * cell) + "h" + width + "v" +
                    std::to_string(cell) + "h-" + width + "z";
            x = end;
        }
    return path;
}

std::string count(const std::vector<bool>& set) { return std::to_string(std::ranges::count(set, true)); }

std::string figure(const Report& report, const Picture& picture) {
    const std::int64_t rows = report.picture_rows, columns = report.picture_columns;
    const codegen::Footprint& footprint = picture.footprint;
    html::Svg svg(static_cast<double>(columns * cell), static_cast<double>(rows * cell),
                  "what loops of " + std::string(name_of(picture.schedule.strategy)) +
                      " touch, numbers in the table below");
    svg.rect(0, 0, static_cast<double>(columns * cell), static_cast<double>(rows * cell), "track");
    svg.path(runs(footprint.loaded, rows, columns), "loaded");
    svg.path(runs(footprint.stored, rows, columns), "stored");
    svg.path(runs(report.specified, rows, columns), "specified");
    return "<figure>" + svg.text() + "<figcaption>" + html::escaped(name_of(picture.schedule.strategy)) +
           ": stores " + count(footprint.stored) + " elements</figcaption></figure>\n";
}

std::string table_of(const Report& report) {
    html::Table table({{.head = "schedule"},
                       {.head = "specified elements", .is_number = true},
                       {.head = "loaded elements", .is_number = true},
                       {.head = "stored elements", .is_number = true},
                       {.head = "read besides"}});
    for (const Picture& picture : report.pictures) {
        std::string besides;
        for (const auto& [name, elements] : picture.footprint.read)
            besides +=
                (besides.empty() ? "" : ", ") + std::to_string(elements) + " of " + html::escaped(name);
        table.row({html::code(to_string(picture.schedule)), count(report.specified),
                   count(picture.footprint.loaded), count(picture.footprint.stored), besides});
    }
    return table.text();
}

}  // namespace

std::string pictures_section(const Report& report) {
    const char* const title = "What each strategy touches";
    if (report.pictures.empty())
        return html::section(title, html::paragraph(html::escaped(report.why_no_pictures)));
    std::string figures;
    for (const Picture& picture : report.pictures) figures += figure(report, picture);
    return html::section(
        title,
        html::paragraph("A piece of the mask, " + std::to_string(report.picture_rows) +
                        " rows from top to bottom of " + std::to_string(report.picture_columns) +
                        " elements from left to right, and what one call does to the tensors that the step "
                        "writes, from Halide's "
                        "tracing. Words and lists that calls make from the mask before the loop are not "
                        "counted, what the loop reads of them is.") +
            html::paragraph(html::legend("specified", "specified,") +
                                html::legend("stored", "stored besides,") +
                                html::legend("loaded", "only loaded,") + html::legend("track", "not touched"),
                            "legend") +
            "<div class=\"pictures\">\n" + figures + "</div>\n" + table_of(report));
}

}  // namespace frisket::cli
