// SPDX-License-Identifier: MIT
#include "record_text.hpp"

#include <charconv>

#include "../../../runtime/io/file.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "../../disk_cache/files.hpp"

namespace frisket::codegen {

namespace {

constexpr std::string_view title = "# frisket tuning records, format 1";

template <class Number>
std::string text_of(Number number) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return {text, end};
}
std::string text_of(Layout layout) { return std::string(name_of(layout)); }
std::string text_of(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '\t': escaped += "\\t"; break;
            case '\n': escaped += "\\n"; break;
            case '\\': escaped += "\\\\"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

template <class Number>
bool parse(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}
bool parse(std::string_view text, Layout& layout) {
    try {
        layout = parse_layout(text);
        return true;
    } catch (const Error&) { return false; }
}
bool parse(std::string_view text, std::string& plain) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '\\' && ++i < text.size()) c = text[i] == 't' ? '\t' : text[i] == 'n' ? '\n' : text[i];
        plain += c;
    }
    return true;
}

/// The part up to the separator, which is taken off the text with it.
std::string_view take(std::string_view& text, char separator) {
    const auto at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    text = at == text.npos ? std::string_view() : text.substr(at + 1);
    return part;
}

bool parse_line(std::string_view line, TuningRecord& record) {
    bool is_good = true;
    each_field(record,
               [&](const char*, auto& field) { is_good = is_good && parse(take(line, '\t'), field); });
    std::int64_t checksum = 0;
    return is_good && parse(line, checksum) && checksum == checksum_of(record, 0);
}

}  // namespace

std::string export_text(std::span<const TuningRecord> records) {
    std::string text = std::string(title) + "\n#";
    const TuningRecord any;
    each_field(any, [&](const char* column, const auto&) { text += std::string(column) + "\t"; });
    text += "checksum\n";
    for (const TuningRecord& record : records) {
        each_field(record, [&](const char*, const auto& field) { text += text_of(field) + "\t"; });
        text += text_of(checksum_of(record, 0)) + "\n";
    }
    return text;
}

std::vector<ExportLine> parse_export(std::string_view text, const std::string& name,
                                     std::vector<std::string>& messages) {
    if (take(text, '\n') != title)
        throw IoError("tuning records " + name + ": is neither a tuning database nor an export of one: its " +
                      "first line would be \"" + std::string(title) + "\"");
    std::vector<ExportLine> records;
    for (int number = 2; !text.empty(); ++number) {
        const std::string_view line = take(text, '\n');
        if (line.empty() || line[0] == '#') continue;
        TuningRecord record;
        if (parse_line(line, record))
            records.push_back({number, record});
        else
            messages.push_back("tuning records " + name + ": line " + std::to_string(number) +
                               " is refused: it is not whole, or its checksum is wrong");
    }
    return records;
}

void write_export(const std::string& path, std::span<const TuningRecord> records) {
    runtime::FileWriter file("tuning records", path);
    const std::string text = export_text(records);
    file.write(text.data(), text.size());
    file.replace();
}

std::vector<ExportLine> read_export(const std::string& path, std::vector<std::string>& messages) {
    const std::optional<std::string> text = bytes_of_file(path);
    if (!text) throw IoError("tuning records " + path + ": cannot be read");
    return parse_export(*text, path, messages);
}

}  // namespace frisket::codegen
