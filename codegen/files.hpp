// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace frisket {

/// A folder of this process's own, gone at its end.
class PassingFolder {
public:
    /// Errors: IoError if none can be made.
    PassingFolder();
    ~PassingFolder();
    PassingFolder(const PassingFolder&) = delete;
    PassingFolder& operator=(const PassingFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// All of a file, or nothing if it cannot be read.
std::optional<std::string> bytes_of_file(const std::filesystem::path& path);

/// Writes to an open file; whether all was written, and if not errno says why.
bool write_all(int file, std::string_view bytes);

}  // namespace frisket
