// SPDX-License-Identifier: MIT
/// Files and tensors of other libraries whose allocations fail one by one.
#include "bytes.hpp"

#include <frisket/frisket.hpp>

#include "../../runtime/io/dlpack.hpp"

#include <dlpack/dlpack.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace files_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A folder of its own: files left in it are seen.
struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("frisket_allocations_files_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }

    /// Every file with its bytes.
    std::string bytes() const {
        std::string text;
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            std::ostringstream content;
            content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
            text += entry.path().filename().string() + ":" + content.str() + "|";
        }
        return text;
    }
};

}  // namespace

TEST_CASE("a file is saved whole or not at all, and loaded whole or not at all", "[allocations]") {
    const Folder folder;
    const std::string npy = (folder.path / "a.npy").string(), st = (folder.path / "a.safetensors").string();
    const Tensor<float> old = random_tensor({3}, 1), now = random_tensor({4, 5}, 2).transpose(0, 1);
    const auto saving = [&](const std::string& what, const auto& save) {
        check_every_allocation(what, [&] {
            save(old);
            return Operation{.run = [&] { save(now); }, .bytes = [&] { return folder.bytes(); }};
        });
    };
    saving("save_npy", [&](const Tensor<float>& t) { save_npy(npy, t); });
    saving("save_safetensors", [&](const Tensor<float>& t) {
        save_safetensors(st, std::vector<NamedTensor>{{"one", t}, {"two", t}},
                         {{"key", "a value of some length"}});
    });
    check_every_allocation("load_npy", [&] { return giving([&] { return bytes_in({load_npy(npy)}); }); });
    check_every_allocation("load_safetensors", [&] {
        return giving([&] {
            std::string bytes;
            for (const NamedTensor& tensor : load_safetensors(st).tensors)
                bytes += tensor.name + bytes_in({tensor.tensor});
            return bytes;
        });
    });
}

TEST_CASE("a tensor goes to another library and comes from it whole or not at all", "[allocations]") {
    const Tensor<float> t = random_tensor({3, 4}, 1);
    check_every_allocation("to_dlpack and from_dlpack", [=] {
        return giving([=] {
            AnyTensor taken;
            DLManagedTensorVersioned* const given = to_dlpack(t);
            try {
                taken = from_dlpack(given);
            } catch (...) {
                given->deleter(given);  // a refused struct stays the caller's
                throw;
            }
            return std::string(static_cast<const char*>(taken.data()), sizeof(float) * 12);
        });
    });
    CHECK(t.owner().use_count() == 1);
}

}  // namespace files_test
