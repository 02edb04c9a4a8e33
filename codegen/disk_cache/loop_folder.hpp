// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/io/descriptor.hpp"
#include "loop_entry.hpp"

namespace frisket::codegen {

/// $FRISKET_CACHE_DIR, or frisket/jit in the user's cache folder ($XDG_CACHE_HOME, ~/.cache); empty if the
/// variable is "off", or such a folder is missing.
std::string loop_folder_path();

/// The folder of compiled loops, for any number of processes at once: files appear whole and under their
/// names, so nothing is locked.  It must be the user's own, and writable by no one else: its files are run.
class LoopFolder {
public:
    enum class Access : std::uint8_t { read, write };
    /// Opens a folder; makes it for `write`, with mode 0700, and the folders above it.
    /// Errors: IoError if it is missing, belongs to someone else, or someone else may write it.
    explicit LoopFolder(std::string path, Access access = Access::write);

    const std::string& path() const noexcept { return path_; }

    /// The entry of a key.  A file that is not whole, or of another key, is removed.
    std::optional<LoopEntry> find(const std::string& key) const;
    /// Keeps an entry; now and then drops those that were not used for longest, if there is more than
    /// `most_bytes`.  Returns why it could not be stored, or an empty text.
    std::string keep(const LoopEntry& entry) const;

    struct File {
        std::string name;
        std::int64_t bytes = 0;
        std::int64_t used_at = 0;  ///< seconds since 1970
    };
    /// Files of entries, those last used first.
    std::vector<File> files() const;
    /// The entry in a file, if it is whole.
    std::optional<LoopEntry> entry_in(const File& file) const;
    /// Removes all entries, and files that killed processes left; returns the number of entries.
    int clear() const;
    /// Drops the least recently used entries until a quarter less than `most` bytes is left, if there is
    /// more.
    void trim(std::int64_t most) const;

    static constexpr std::int64_t most_bytes = std::int64_t{256} << 20U;

private:
    std::vector<std::string> names() const;
    std::optional<std::string> bytes_of(const std::string& name) const;

    std::string path_;
    runtime::Descriptor folder_;
};

}  // namespace frisket::codegen
