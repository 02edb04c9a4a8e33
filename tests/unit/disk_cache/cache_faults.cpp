// SPDX-License-Identifier: MIT
// Disks, and processes, that fail at any call while loops are compiled, stored or read.
#include <Halide.h>

#include "../../../codegen/jit/jit_module.hpp"
#include "../../support/faults.hpp"
#include "../../support/folder.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <algorithm>

namespace cache_faults_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr auto descent = step<"descent">(param -= 0.25f * sin(param));

/// Result of one call of a step.  Not by jit(), which keeps kernels: each begins anew.
Tensor<float> called() {
    const auto p = random_tensor({1003}, 1);
    CompiledKernel(std::make_shared<codegen::JitModule>(describe(descent), check_present({})))(
        {{"param", p}});
    return p;
}

int loops_in(const std::string& folder) {
    const std::vector<std::string> names = names_in(folder);
    return static_cast<int>(
        std::ranges::count_if(names, [](const std::string& name) { return name.ends_with(".loops"); }));
}

enum class Before { none, kept };

/// Calls a step, whose loops are stored or not, while calls of the system fail; returns these calls.
std::vector<std::string> call_with_faults(const DiskFault& kind, Before before) {
    const std::string folder = std::getenv("FRISKET_CACHE_DIR");
    const auto begin = [&] {
        if (before == Before::none) std::filesystem::remove_all(folder);
    };
    const Tensor<float> wanted = called();
    const int loops = loops_in(folder);
    REQUIRE(loops > 0);
    begin();
    Tensor<float> found;
    return each_fault(
        kind, [&] { found = called(); },
        [&](bool is_refused) {
            CHECK(!is_refused);
            CHECK(same(found, wanted));
            CHECK(static_cast<int>(names_in(folder).size()) == loops_in(folder));
            CHECK(same(called(), wanted));
            CHECK(loops_in(folder) == loops);
            begin();
        });
}

void run(const std::string& test) {
    const Folder place;
    check_child_with_faults(test, "FRISKET_CACHE_DIR=" + place / "above/jit TMPDIR=" + place / "tmp");
}

}  // namespace

TEST_CASE("child: loops are compiled with faults", "[.]") {
    for (const DiskFault& kind : {DiskFault{ENOSPC, true}, DiskFault{EMFILE, true}})
        call_with_faults(kind, Before::none);
}
TEST_CASE("a disk that fails while loops are compiled and kept changes no byte and leaves nothing",
          "[disk_cache]") {
    run("loops are compiled with faults");
}

TEST_CASE("child: loops are read with faults", "[.]") {
    for (const DiskFault& kind : all_faults) call_with_faults(kind, Before::kept);
}
TEST_CASE("a disk that fails while loops are read changes no byte and leaves nothing", "[disk_cache]") {
    run("loops are read with faults");
}

TEST_CASE("child: calls of a first call", "[.]") {
    const std::vector<std::string> calls = call_with_faults({}, Before::none);
    CHECK(std::ranges::count(calls, "renameat") == 1);
    // Entries have checksums, and a first call does not wait for the disk.
    CHECK(std::ranges::count(calls, "fsync") == 0);
}
TEST_CASE("compiled loops are kept under another name first, and no disk is waited for", "[disk_cache]") {
    run("calls of a first call");
}

}  // namespace cache_faults_test
