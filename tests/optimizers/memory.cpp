// SPDX-License-Identifier: MIT
// What a masked step takes in addition to its arguments: at most the bits of the mask and as much as the
// gradient.
#include <malloc.h>

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <cstdlib>
#include <fstream>

#include "../support/child.hpp"
#include "../support/matchers.hpp"
#include "../support/random.hpp"

namespace memory_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A line of /proc/self/status, in bytes.
std::int64_t memory_of_process(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::int64_t kibibytes = 0;
        if (word == name + ":" && status >> kibibytes) return kibibytes * 1024;
    }
    return -1;
}

/// From now on the peak counts anew.
bool reset_peak() {
    std::ofstream refs("/proc/self/clear_refs");
    return static_cast<bool>(refs << "5" << std::flush);
}

/// Bytes that a user has given: lists are 64-bit indices, one a dimension for coo.
std::int64_t bytes_of_parts(const AnyMasked& masked) {
    std::int64_t bytes = masked.values().size() * bytes_of(masked.dtype()) + masked.mask().size();
    if (masked.layout() == Layout::bitmask) bytes += masked.mask().size() * 7;
    if (masked.index()) bytes += masked.index()->size() * (masked.layout() == Layout::coo ? 16 : 8);
    if (masked.compressed_index())
        bytes += 8 * static_cast<std::int64_t>(masked.compressed_index()->pointers.size() +
                                               masked.compressed_index()->indices.size());
    return bytes;
}

}  // namespace

TEST_CASE("child: memory of one step", "[.]") {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // freed memory goes back, and is not there for the step to reuse
    const Layout layout = parse_layout(std::getenv("LAYOUT"));
    const AnyMasked small = random_masked<float>({64, 64}, specified(0.01), layout, 1);
    const AnyMasked large = random_masked<float>({4096, 4096}, specified(0.01), layout, 2);
    optim::Optimizer optimizer(optim::Adagrad{},
                               {{"small", Tensor<float>({64, 64})}, {"large", full<float>({4096, 4096}, 1)}});
    optimizer.step({small, {}});  // makes the loops
    malloc_trim(0);
    if (!reset_peak()) {
        std::puts("SKIP: this system does not let a process reset its peak of memory");
        return;
    }
    const std::int64_t before = memory_of_process("VmRSS");
    optimizer.step({{}, large});
    const std::int64_t taken = memory_of_process("VmHWM") - before;
    constexpr std::int64_t bits = 4096 * 4096 / 8, others = 1 << 20;  // stacks, pages of loops
    std::printf("%s: %lld bytes, gradient %lld\n", std::getenv("LAYOUT"), static_cast<long long>(taken),
                static_cast<long long>(bytes_of_parts(large)));
    CHECK(taken <= bits + bytes_of_parts(large) + others);
}

TEST_CASE("a masked step takes no more memory than mask bits and gradient, in any layout", "[optimizers]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers keep memory beside that of the program");
#endif
    for (const Layout layout : all_layouts()) {
        if (layout == Layout::dense) continue;
        const ChildResult child =
            run_child("child: memory of one step", "LAYOUT=" + std::string(name_of(layout)));
        INFO(child.output);
        if (child.output.find("SKIP: ") != std::string::npos) SKIP(child.output);
        CHECK(child.status == 0);
    }
}

}  // namespace memory_test
