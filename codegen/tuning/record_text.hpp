// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace frisket {

/// Tuning records as lines of text, for what is kept under version control: a line of column names, then one
/// for each record, fields apart by tabs, with its checksum.
std::string export_text(std::span<const TuningRecord> records);

/// The records of such a text; lines that are not whole add a sentence to `messages`.
/// `name` stands in messages.  Errors: IoError if it is no such text.
std::vector<TuningRecord> parse_export(std::string_view text, const std::string& name,
                                       std::vector<std::string>& messages);

/// Errors: IoError; a file of this name is then as before.
void write_export(const std::string& path, std::span<const TuningRecord> records);
std::vector<TuningRecord> read_export(const std::string& path, std::vector<std::string>& messages);

}  // namespace frisket
