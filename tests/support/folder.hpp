// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace frisket::testing {

/// A folder of its own for a test, gone at its end.
class Folder {
public:
    Folder() {
        std::string path = (std::filesystem::temp_directory_path() / "frisket_test_XXXXXX").string();
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder " + path);
        path_ = path;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Names of the files in a folder, sorted; none if it is not there.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(folder, error))
        names.push_back(file.path().filename().string());
    std::ranges::sort(names);
    return names;
}

inline std::string bytes_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace frisket::testing
