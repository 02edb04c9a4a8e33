// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <optional>
#include <string>

#include "../../runtime/io/descriptor.hpp"

namespace frisket::codegen {

/// A file in memory that only this process has: none of a disk's failures, and nothing is left of it when the
/// process ends, however it does.
class MemoryFile {
public:
    /// Errors: IoError if there can be none.
    MemoryFile();

    /// A path that is valid in this process.
    std::string path() const { return "/proc/self/fd/" + std::to_string(file_.number()); }
    /// Its present content.  Errors: IoError.
    std::string bytes() const;

private:
    runtime::Descriptor file_;
};

/// All of a file, or nothing if it cannot be read.
std::optional<std::string> bytes_of_file(const std::string& path);

}  // namespace frisket::codegen
