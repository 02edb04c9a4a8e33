// SPDX-License-Identifier: MIT
// The programs of libFuzzer, without it: each is given the inputs that are stored, so a build without clang
// compiles and runs them as well.
#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

// Each of the programs defines a function of this name.
#define LLVMFuzzerTestOneInput use_c_structs
#include "programs/c_structs.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput use_dlpack
#include "programs/dlpack.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput use_npy
#include "programs/npy.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput use_records
#include "programs/records.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput use_safetensors
#include "programs/safetensors.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput use_schedule
#include "programs/schedule.cpp"
#undef LLVMFuzzerTestOneInput

namespace {

using Use = int(const std::uint8_t* data, std::size_t size);

constexpr std::pair<std::string_view, Use*> programs[] = {
    {"c_structs", use_c_structs}, {"dlpack", use_dlpack},           {"npy", use_npy},
    {"records", use_records},     {"safetensors", use_safetensors}, {"schedule", use_schedule}};

}  // namespace

TEST_CASE("inputs that are kept break nothing that reads them") {
    for (const auto& [name, use] : programs) {
        INFO(name);
        int inputs = 0;
        for (const auto& entry :
             std::filesystem::directory_iterator(std::string(CORPUS) + "/" + std::string(name))) {
            INFO(entry.path());
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string input{std::istreambuf_iterator<char>(file), {}};
            CHECK(use(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()) == 0);
            ++inputs;
        }
        CHECK(inputs > 0);
    }
}
