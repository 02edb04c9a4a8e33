// SPDX-License-Identifier: MIT
#include "doctor.hpp"

#include "../codegen/disk_cache/loop_folder.hpp"
#include "../codegen/jit/device_driver.hpp"
#include "../codegen/jit/jit.hpp"
#include "../codegen/loops/schedule.hpp"
#include "../codegen/tuning/records/machine.hpp"
#include "../dsl/dsl.hpp"
#include "doctor_report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace frisket::cli {

namespace {

constexpr InOut<"x"> x;
constexpr Scalar<"by"> by;
constexpr In<"y"> y;
constexpr auto copying = step<"copying">(x = y);
constexpr auto trial = step<"trial">(x = x * by + 1);

/// Result of compiling a small step for a target and running it.
struct Trial {
    bool works = false;
    std::string text;
};

/// Bytes that a device reads and writes in a nanosecond while it copies 16M float32: the best of some runs.
double copied_gb_per_s(const Device& device) {
    constexpr std::int64_t count = std::int64_t{1} << 24;
    const Tensor<float> from = zeros<float>({count}, device), to = empty<float>({count}, device);
    double best_s = 1e30;
    for (int run = 0; run < 5; ++run) {
        synchronize(device);
        const auto begin = std::chrono::steady_clock::now();
        jit(copying)(x = to, y = from);
        synchronize(device);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        best_s = std::min(best_s, spent.count());
    }
    return 2 * static_cast<double>(count * sizeof(float)) / best_s / 1e9;
}

Trial try_target(const TargetRow& row) {
    if (const std::string why = why_absent(row); !why.empty()) return {.works = false, .text = "no: " + why};
    const auto begin = std::chrono::steady_clock::now();
    constexpr int count = 1000;
    Tensor<float> data = arange<float>(count);
    try {
        data = data.to(codegen::device_of(row));
        jit(trial, TargetName{std::string(row.name)})(x = data, by = 2);
        data = data.to(Device());
    } catch (const Error& error) { return {.works = false, .text = std::string("no: ") + error.what()}; }
    for (int i = 0; i < count; ++i)
        if (data.data()[i] != static_cast<float>(2 * i + 1))
            return {.works = false, .text = "no: a step gives wrong numbers: please report it"};
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    std::ostringstream text;
    text.precision(2);
    text << "yes: a step was compiled and run in " << spent.count() << " s";
    if (row.gpu) text << "; copies " << copied_gb_per_s(codegen::device_of(row)) << " GB/s";
    return {.works = true, .text = text.str()};
}

}  // namespace

bool doctor() {
    std::vector<std::string> to_do;
    const std::string loops = codegen::loop_folder_path();
    setenv("FRISKET_CACHE_DIR", "off", 1);  // kept loops must not hide that none can be compiled now
    print_machine(codegen::halide_version(), codegen::machine_name());
    bool works = false;
    for (const TargetRow& row : known_targets()) {
        const Trial found = try_target(row);
        print_line("target " + std::string(row.name), found.text);
        works |= found.works && !row.gpu;
        if (!found.works && row.gpu)
            to_do.push_back("target " + std::string(row.name) + ": " + std::string(row.to_install));
    }
    print_devices();
    print_kept(loops);
    if (!to_do.empty()) std::cout << "\nTo install, if wanted:\n";
    for (const std::string& sentence : to_do) std::cout << "  " << sentence << "\n";
    return works;
}

}  // namespace frisket::cli
