// SPDX-License-Identifier: MIT
#pragma once
#include "../../codegen/tuning/database.hpp"
#include "../../runtime/error.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace frisket::testing {

/// A folder of its own for a test, gone at its end.
class Folder {
public:
    Folder() {
        std::string path = (std::filesystem::temp_directory_path() / "frisket_tuning_XXXXXX").string();
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

/// The record of a key, which a number stands for; `found` numbers what was found.
inline TuningRecord record(int key, int found = 0) {
    TuningRecord made;
    made.step = "step adagrad_" + std::to_string(key) + "\n  %0 = grad * grad\n" + std::string(key % 40, '.');
    made.target = "cpu";
    made.machine = "a processor, x86-64-linux-avx2";
    made.build = "frisket 0.1.0, Halide 21.0.0";
    made.call = {
        .layout = Layout::bitmask, .elements = key % 30, .row_length = 5, .density = -key, .lines = -3};
    made.schedule = "skip tile=" + std::to_string(found);
    made.gain = 1.0 + 0.01 * found;
    made.default_s = 0.25;
    made.best_s = made.default_s / made.gain;
    made.found_at = 1'700'000'000 + found;
    return made;
}

/// Records in one order.
inline std::vector<TuningRecord> sorted(std::vector<TuningRecord> records) {
    std::ranges::sort(records, {}, &TuningRecord::step);
    return records;
}

inline std::vector<TuningRecord> records(int count) {
    std::vector<TuningRecord> made;
    for (int key = 0; key < count; ++key) made.push_back(record(key));
    return sorted(made);
}

inline std::vector<TuningRecord> read_records(const std::string& path) {
    return sorted(TuningDatabase(path, TuningDatabase::Access::read).records());
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
