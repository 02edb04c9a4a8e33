// SPDX-License-Identifier: MIT
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// Files of a test, byte by byte.
namespace frisket::testing {

/// A folder of its own, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder() {
        static int count = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("frisket_test_" + std::to_string(getpid()) + "_" + std::to_string(count++));
        std::filesystem::create_directory(path_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::size_t file_count() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path path_;
};

inline void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of format `major`.0: the dict, padded to a multiple of `alignment`, then the elements' bytes.
inline std::string npy_file(const std::string& dict, const std::string& elements, int major = 1,
                            std::size_t alignment = 64) {
    const std::size_t begin = major == 1 ? 10 : 12;
    std::string text = dict;
    while ((begin + text.size() + 1) % alignment != 0) text += ' ';
    text += '\n';
    std::string file = "\x93NUMPY";
    file += static_cast<char>(major);
    file += '\0';
    for (std::size_t i = 6 + 2; i < begin; ++i)
        file += static_cast<char>(text.size() >> (8 * (i - 8)) & 0xff);
    return file + text + elements;
}

}  // namespace frisket::testing
