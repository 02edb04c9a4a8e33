// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frisket::codegen {

/// Compiled loops as they are stored on disk.
struct LoopEntry {
    std::string key = {};                  ///< all their inputs, as text: compared in full
    std::string name = {};                 ///< name of the step
    std::string loops = {};                ///< name of the loops within the step: the schedule, say
    std::string target = {};               ///< name in the table of targets
    std::string object = {};               ///< the bytes of a relocatable ELF object
    std::vector<std::int64_t> notes = {};  ///< facts about the loops for their callers
    bool operator==(const LoopEntry&) const = default;
};

/// An entry as the bytes of a file, with a checksum over all of them.
std::string to_bytes(const LoopEntry& entry);
/// Nothing if one bit is not as it was written, or the file is of another kind.
std::optional<LoopEntry> parse_loop_entry(std::string_view bytes);

/// "HASH.loops": the file of a key's entry.
std::string loop_file_name(std::string_view key);
bool is_loop_file_name(std::string_view name);

}  // namespace frisket::codegen
