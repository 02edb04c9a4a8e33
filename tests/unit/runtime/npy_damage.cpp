// SPDX-License-Identifier: MIT
#include "../../../runtime/io/tensor_files.hpp"
#include "../../support/matchers.hpp"
#include "npy_helpers.hpp"

namespace npy_damage_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Loads a damaged file: returns a tensor all of whose elements can be read, or an IoError; nothing else.
/// Whether it was loaded.
bool loads(const std::string& path) {
    try {
        const AnyTensor tensor = load_npy(path);
        dispatch(tensor.dtype(), [&]<class T>() {
            REQUIRE(static_cast<std::int64_t>(Tensor<T>(tensor).to_vector().size()) == tensor.size());
        });
        return true;
    } catch (const IoError& error) {
        REQUIRE(std::string_view(error.what()).starts_with("frisket: load_npy: " + path + ": "));
        return false;
    }
}

bool is_space(char c) { return std::string_view(" \t\n\r\f").find(c) != std::string_view::npos; }

/// Valid files, small, whose headers differ.
std::vector<std::string> samples() {
    return {
        npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", std::string(24, 'a')),
        npy_file("{'descr': '|b1', 'fortran_order': True, 'shape': (2,1), }", std::string("\x00\x01", 2), 2),
        npy_file("{'descr': '<i8', 'fortran_order': False, 'shape': (), }", std::string(8, 'c'), 3),
    };
}

}  // namespace

TEST_CASE("a file that is cut off anywhere, or goes on, is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    for (const std::string& file : samples()) {
        write_file(path, file);
        REQUIRE(loads(path));
        for (std::size_t length = 0; length < file.size(); ++length) {
            write_file(path, file.substr(0, length));
            REQUIRE_FALSE(loads(path));
        }
        write_file(path, file + '\0');
        REQUIRE_FALSE(loads(path));
    }
}

TEST_CASE("a file with one byte changed to any other gives a tensor or an IoError") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    for (const std::string& file : samples()) {
        const std::size_t header = file.find('\n') + 1;
        int loaded = 0;
        write_file(path, file);
        // Changed in its file: a hundred thousand new files would wait for the disk.
        std::fstream damaged(path, std::ios::in | std::ios::out | std::ios::binary);
        const auto put = [&](std::size_t at, char byte) {
            damaged.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
        };
        for (std::size_t at = 0; at < file.size(); ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                if (file[at] == static_cast<char>(byte)) continue;
                put(at, static_cast<char>(byte));
                const bool did_load = loads(path);
                loaded +=
                    did_load && at < header && !(is_space(file[at]) && is_space(static_cast<char>(byte)));
                if (at >= header && file.find("|b1") == std::string::npos) REQUIRE(did_load);
            }
            put(at, file[at]);
        }
        REQUIRE(read_file(path) == file);
        // A few headers say another thing of the same length: '<i4' for '<f4', (3, 2) is two changes.  White
        // space may be any other.
        CHECK(loaded < 20);
    }
}

}  // namespace npy_damage_test
