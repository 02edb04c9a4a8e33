// SPDX-License-Identifier: MIT
#include "files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../runtime/error.hpp"

namespace frisket {

PassingFolder::PassingFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "frisket_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw IoError("no folder can be made as " + path);
    path_ = path;
}

PassingFolder::~PassingFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

std::optional<std::string> bytes_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    if (!file) return {};
    return bytes.str();
}

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace frisket
