// SPDX-License-Identifier: MIT
// The program frisket_gpu_check: carried to a machine with a device, it needs no compiler there, and prints a
// page on what a device computes and how fast.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "checks.hpp"
#include "speeds.hpp"

namespace {

using namespace gpu_check;

/// Distance that is allowed where a device rounds in its own way.  Source: OpenCL 1.2, section 7.4, of square
/// roots and quotients.
constexpr std::int64_t allowed_ulp = 4;

/// Prints the checks; true if none is wrong.
bool print_checks(const std::vector<Check>& checks) {
    std::printf("\n%-32s %12s %12s %10s\n", "results beside the processor's", "elements", "other bits",
                "most ulp");
    bool is_right = true;
    for (const Check& check : checks) {
        const bool is_wrong = check.most_ulp > allowed_ulp;
        is_right = is_right && !is_wrong;
        std::printf("%-32s %12lld %12lld %10lld%s\n", check.name.c_str(),
                    static_cast<long long>(check.elements), static_cast<long long>(check.differing),
                    static_cast<long long>(check.most_ulp), is_wrong ? "  WRONG" : "");
    }
    return is_right;
}

void print_speeds(const std::vector<Speed>& speeds) {
    const double copy = speeds.front().gb_per_s();
    std::printf("\n%-32s %12s %12s %10s %8s\n", "speed", "MB to move", "ms", "GB/s", "of copy");
    for (const Speed& speed : speeds)
        std::printf("%-32s %12.1f %12.4f %10.1f %7.0f%%\n", speed.name.c_str(),
                    static_cast<double>(speed.bytes) * 1e-6, speed.seconds * 1e3, speed.gb_per_s(),
                    100 * speed.gb_per_s() / copy);
    std::printf("\nMB to move: what must be read and written, in sectors of 32 bytes where a mask or a list "
                "says which.\n");
}

int run(const std::string& name, const Sizes& sizes, bool is_timed) {
    const frisket::Device device = frisket::device(name);
    if (device.is_cpu()) {
        std::printf("frisket_gpu_check: this machine has no device that it has kernels for: opencl, cuda\n");
        return 2;
    }
    std::printf("frisket_gpu_check: device %s\n", std::string(device.name()).c_str());
    const bool is_right = print_checks(run_checks(device));
    if (is_timed) print_speeds(measure(device, sizes));
    std::printf("\n%s\n", is_right ? "All results are right." : "Results are wrong.");
    return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Checks what a device computes against the processor, and measures steps against its copies.");
    std::string device = "auto";
    Sizes sizes;
    bool is_untimed = false;
    app.add_option("--device", device, "cuda, opencl, or auto: the best that there is")
        ->capture_default_str();
    app.add_option("--elements", sizes.elements, "elements of Adam and masked Adagrad")
        ->check(CLI::Range(64, 1 << 30))
        ->capture_default_str();
    app.add_option("--rows", sizes.rows, "rows of a table of 128 columns")
        ->check(CLI::Range(1, 1 << 23))
        ->capture_default_str();
    app.add_option("--listed", sizes.listed_rows, "rows of it that a step lists")
        ->check(CLI::Range(1, 1 << 23))
        ->capture_default_str();
    app.add_option("--soft-rows", sizes.soft_rows, "rows of 1024 of a softmax")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    app.add_option("--sampled", sizes.sampled, "rows and columns of a sampled product")
        ->check(CLI::Range(1, 1 << 15))
        ->capture_default_str();
    app.add_option("--seconds", sizes.seconds, "of each measurement")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--untimed", is_untimed, "checks results alone");
    CLI11_PARSE(app, argc, argv);
    try {
        if (sizes.listed_rows > sizes.rows)
            throw frisket::ValueError("--listed: a table of " + std::to_string(sizes.rows) +
                                      " rows has no more to list");
        return run(device, sizes, !is_untimed);
    } catch (const frisket::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
