// SPDX-License-Identifier: MIT
// Reads and writes tuning records as lines of text, for version control.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace frisket::codegen {

/// Tuning records as lines of text, for version control: a line of column names, then one for each record,
/// fields apart by tabs, with its checksum.
std::string export_text(std::span<const TuningRecord> records);

/// A record of such a text, and its line.
struct ExportLine {
    int line = 0;
    TuningRecord record;
    bool operator==(const ExportLine&) const = default;
};

/// The records of such a text; lines that are not whole add a sentence to `messages`.
/// `name` is quoted in messages.  Errors: IoError if it is no such text.
std::vector<ExportLine> parse_export(std::string_view text, const std::string& name,
                                     std::vector<std::string>& messages);

/// Errors: IoError; a file of this name is then as before.
void write_export(const std::string& path, std::span<const TuningRecord> records);
std::vector<ExportLine> read_export(const std::string& path, std::vector<std::string>& messages);

}  // namespace frisket::codegen
