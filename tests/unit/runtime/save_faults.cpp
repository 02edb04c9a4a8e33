// SPDX-License-Identifier: MIT
// Disks that fail at any call while files are saved.
#include "../../../runtime/io/tensor_files.hpp"
#include "../../support/faults.hpp"
#include "../../support/folder.hpp"

#include <frisket/optim.hpp>

#include <algorithm>
#include <functional>

namespace save_faults_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Saves the first of two contents, then the second while calls fail; returns the calls.
std::vector<std::string> save_with_faults(const DiskFault& kind,
                                          const std::function<void(const std::string&, int)>& save) {
    const Folder folder;
    const std::string path = folder / "file";
    save(path, 1);
    const std::string fresh = bytes_of_file(path);
    save(path, 0);
    const std::string old = bytes_of_file(path);
    REQUIRE(old != fresh);
    return each_fault(
        kind, [&] { save(path, 1); },
        [&](bool is_refused) {
            const std::string found = bytes_of_file(path);
            CHECK((found == fresh || (is_refused && found == old)));
            CHECK(names_in(folder.path()) == std::vector<std::string>{"file"});
            REQUIRE_NOTHROW(save(path, 0));
            CHECK(bytes_of_file(path) == old);
        });
}

void save_array(const std::string& path, int content) { save_npy(path, full<float>({1000}, float(content))); }

void save_tensors(const std::string& path, int content) {
    const NamedTensor tensors[] = {{"a", full<float>({1000}, float(content))}, {"b", ones<bool>({3})}};
    save_safetensors(path, tensors, {{"made by", "a test"}});
}

}  // namespace

TEST_CASE("child: an array is saved with faults", "[.]") {
    for (const DiskFault& kind : all_faults) save_with_faults(kind, save_array);
}
TEST_CASE("a disk that fails while an array is saved leaves the old file or the new one") {
    check_child_with_faults("an array is saved with faults");
}

TEST_CASE("child: tensors are saved with faults", "[.]") {
    for (const DiskFault& kind : all_faults) save_with_faults(kind, save_tensors);
}
TEST_CASE("a disk that fails while tensors are saved leaves the old file or the new one") {
    check_child_with_faults("tensors are saved with faults");
}

TEST_CASE("child: an optimizer is saved with faults", "[.]") {
    Tensor<float> p = full<float>({2, 3}, 1);
    optim::Optimizer optimizer(optim::SGD{.lr = 0.5, .momentum = 0.5}, {{"p", p}});
    const auto g = full<float>({2, 3}, 1);
    const auto save = [&](const std::string& path, int content) {
        optimizer.options<optim::SGD>(0).lr = 1 + content;
        optimizer.save(path);
    };
    optimizer.step({g});
    for (const DiskFault& kind : all_faults) save_with_faults(kind, save);
}
TEST_CASE("a disk that fails while an optimizer is saved leaves the old file or the new one") {
    check_child_with_faults("an optimizer is saved with faults");
}

TEST_CASE("child: calls of one save", "[.]") {
    const std::vector<std::string> calls = save_with_faults({}, save_array);
    const auto file = std::ranges::find(calls, "fsync"), name = std::ranges::find(calls, "renameat");
    REQUIRE(file != calls.end());
    CHECK(file < name);
    CHECK(std::find(name, calls.end(), "fsync") != calls.end());
}
TEST_CASE("a saved file is on the disk before it has its name, and its name before the call returns") {
    check_child_with_faults("calls of one save");
}

}  // namespace save_faults_test
