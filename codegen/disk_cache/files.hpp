// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "../../runtime/io/descriptor.hpp"

namespace frisket::codegen {

/// A file in memory that only this process has, and those that it gives it to: none of a disk's failures, and
/// nothing is left of it when they end, however they do.
class MemoryFile {
public:
    /// Errors: IoError if there can be none.
    explicit MemoryFile(std::string_view bytes = {});

    /// Above those of standard input, output and error, which a process that is started has for itself.
    int number() const noexcept { return file_.number(); }
    /// A path that is valid in this process, and in one that inherits the file.
    std::string path() const { return "/proc/self/fd/" + std::to_string(number()); }
    /// All that stands in it now.  Errors: IoError.
    std::string bytes() const;

private:
    runtime::Descriptor file_;
};

/// Gives a file a number above those of standard input, output and error.
runtime::Descriptor above_standard(runtime::Descriptor file);

/// All of a file, or nothing if it cannot be read.
std::optional<std::string> bytes_of_file(const std::string& path);

}  // namespace frisket::codegen
