// SPDX-License-Identifier: MIT
#include "doctor.hpp"

#include "../codegen/disk_cache/loop_folder.hpp"
#include "../codegen/disk_cache/object_loader.hpp"
#include "../codegen/jit/device_driver.hpp"
#include "../codegen/jit/jit.hpp"
#include "../codegen/loops/threads.hpp"
#include "../codegen/strategies/schedule.hpp"
#include "../codegen/tuning/records/database.hpp"
#include "../codegen/tuning/records/driver_devices.hpp"
#include "../codegen/tuning/records/machine.hpp"
#include "../dsl/dsl.hpp"
#include "../runtime/kernel/thread_pool.hpp"
#include "../runtime/tensor/free_memory.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace frisket::cli {

namespace {

const char* const notes =
    R"(Prints the versions, the processor, each target and whether a small step ran on it just now (and how fast a device copies),
the memory of devices, the tuning database and the loops on disk; then what to install for what does not work.  The exit status is 1 if not even loops for
the processor run.)";

/// Requirements of a target that a machine may lack.
struct Advice { std::string_view target, text; };
constexpr Advice advice_of_targets[] = {
    {.target = "opencl",
     .text = "the driver of an OpenCL device and the loader; for processors, on Debian: apt-get install "
             "pocl-opencl-icd ocl-icd-libopencl1"},
    {.target = "cuda", .text = "the driver of an NVIDIA device"},
    {.target = "vulkan",
     .text = "the driver of a Vulkan device and the loader; on Debian: apt-get install libvulkan1 "
             "mesa-vulkan-drivers"},
};

constexpr InOut<"x"> x;
constexpr Scalar<"by"> by;
constexpr In<"y"> y;
constexpr auto copying = step<"copying">(x = y);
constexpr auto trial = step<"trial">(x = x * by + 1);

void line(const std::string& name, const std::string& text) {
    constexpr std::size_t column = 21;
    std::cout << name << std::string(name.size() < column ? column - name.size() : 1, ' ') << text << "\n";
}

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

void print_devices(const std::string& what, const std::vector<codegen::DriverDevice>& devices) {
    for (const codegen::DriverDevice& device : devices)
        line(what, device.name + ", " + runtime::bytes_text(static_cast<std::int64_t>(device.bytes)) +
                       (device.has_float64 ? "" : "; it lacks float64, which sums are carried in"));
}

std::string counts(const codegen::TuningDatabase& database) {
    const std::vector<codegen::TuningRecord> all = database.records();
    const std::string machine = codegen::machine_name(), build = codegen::build_name();
    const auto ours = std::ranges::count_if(all, [&](const codegen::TuningRecord& record) {
        return record.machine == machine && record.build == build;
    });
    return std::to_string(all.size()) + (all.size() == 1 ? " record, " : " records, ") +
           std::to_string(ours) + " for this machine and build";
}

void print_database() {
    const std::string path = codegen::default_tuning_path();
    if (path.empty()) return line("tuning", "off: no database is read");
    try {
        const codegen::TuningDatabase database(path, codegen::TuningDatabase::Access::read);
        std::error_code error;
        const bool is_there = !database.records().empty() || std::filesystem::exists(path, error);
        line("tuning", path + ": " + (is_there ? counts(database) : "not there yet, and not needed"));
        for (const std::string& message : database.messages()) line("", message);
    } catch (const IoError& error) { line("tuning", error.what()); }
}

/// Compiled loops on disk, and whether there can be more.
void print_cache(const std::string& path) {
    if (!codegen::loads_objects)
        return line("cache", "no: objects are loaded on x86-64 alone: every process compiles its loops");
    if (path.empty()) return line("cache", "off: every process compiles its loops");
    try {
        const codegen::LoopFolder folder(path);
        const auto files = folder.files();
        std::int64_t bytes = 0;
        for (const codegen::LoopFolder::File& file : files) bytes += file.bytes;
        line("cache",
             path + ": " + std::to_string(files.size()) + " loops, " + std::to_string(bytes) + " bytes");
    } catch (const IoError& error) { line("cache", std::string("no: ") + error.what()); }
}

void print_machine() {
    line("frisket", codegen::frisket_version() + ", Halide " + codegen::halide_version());
    line("processor", codegen::machine_name());
    const bool is_wanted = kernel_calls::wanted_threads() > 0;
    line("threads",
         std::to_string(codegen::thread_count()) +
             (is_wanted ? ", as FRISKET_NUM_THREADS says" : "; FRISKET_NUM_THREADS says otherwise"));
}

bool doctor() {
    std::vector<std::string> to_do;
    const std::string loops = codegen::loop_folder_path();
    setenv("FRISKET_CACHE_DIR", "off", 1);  // kept loops must not hide that none can be compiled now
    print_machine();
    bool works = false;
    for (const TargetRow& row : known_targets()) {
        const Trial found = try_target(row);
        line("target " + std::string(row.name), found.text);
        works |= found.works && !row.gpu;
        for (const Advice& advice : advice_of_targets)
            if (!found.works && advice.target == row.name)
                to_do.push_back("target " + std::string(row.name) + ": " + std::string(advice.text));
    }
    print_devices("OpenCL device", codegen::opencl_devices());
    print_devices("CUDA device", codegen::cuda_devices());
    print_database();
    print_cache(loops);
    if (!to_do.empty()) std::cout << "\nTo install, if wanted:\n";
    for (const std::string& sentence : to_do) std::cout << "  " << sentence << "\n";
    return works;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
    CLI::App* const verb = app.add_subcommand("doctor", "what works on this machine, and what to install");
    verb->footer(notes);
    verb->callback([&status] { status = doctor() ? 0 : 1; });
}

}  // namespace frisket::cli
