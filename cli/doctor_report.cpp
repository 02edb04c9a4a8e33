// SPDX-License-Identifier: MIT
#include "doctor_report.hpp"

#include "../codegen/disk_cache/loop_folder.hpp"
#include "../codegen/disk_cache/object_loader.hpp"
#include "../codegen/loops/threads.hpp"
#include "../codegen/tuning/records/database.hpp"
#include "../codegen/tuning/records/machine.hpp"
#include "../runtime/kernel/thread_pool.hpp"
#include "../runtime/tensor/error.hpp"
#include "../runtime/tensor/free_memory.hpp"
#include "../runtime/tensor/memory.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

namespace frisket::cli {

namespace {

std::string counts(const codegen::TuningDatabase& database) {
    const std::vector<codegen::TuningRecord> all = database.records();
    const auto ours = std::ranges::count_if(all, codegen::is_found_here);
    return std::to_string(all.size()) + (all.size() == 1 ? " record, " : " records, ") +
           std::to_string(ours) + " for this machine and build";
}

void print_database() {
    const std::string path = codegen::default_tuning_path();
    if (path.empty()) return print_line("tuning", "off: no database is read");
    try {
        const codegen::TuningDatabase database(path, codegen::TuningDatabase::Access::read);
        std::error_code error;
        const bool is_there = !database.records().empty() || std::filesystem::exists(path, error);
        print_line("tuning", path + ": " + (is_there ? counts(database) : "not there yet, and not needed"));
        for (const std::string& message : database.messages()) print_line("", message);
    } catch (const IoError& error) { print_line("tuning", error.what()); }
}

/// Compiled loops on disk, and whether there can be more.
void print_cache(const std::string& path) {
    if (!codegen::loads_objects)
        return print_line("cache",
                          "no: objects are loaded on x86-64 alone: every process compiles its loops");
    if (path.empty()) return print_line("cache", "off: every process compiles its loops");
    try {
        const codegen::LoopFolder folder(path);
        const auto files = folder.files();
        std::int64_t bytes = 0;
        for (const codegen::LoopFolder::File& file : files) bytes += file.bytes;
        print_line("cache", path + ": " + std::to_string(files.size()) + " loops, " + std::to_string(bytes) +
                                " bytes");
    } catch (const IoError& error) { print_line("cache", std::string("no: ") + error.what()); }
}

}  // namespace

void print_line(const std::string& name, const std::string& text) {
    constexpr std::size_t column = 21;
    std::cout << name << std::string(name.size() < column ? column - name.size() : 1, ' ') << text << "\n";
}

void print_machine(const std::string& halide, const std::string& processor) {
    print_line("frisket", codegen::frisket_version() + ", Halide " + halide);
    print_line("processor", processor);
    const bool is_wanted = kernel_calls::wanted_threads() > 0;
    print_line("threads",
               std::to_string(codegen::thread_count()) +
                   (is_wanted ? ", as FRISKET_NUM_THREADS says" : "; FRISKET_NUM_THREADS says otherwise"));
}

void print_devices() {
    for (const TargetRow& row : known_targets()) {
        if (row.devices == nullptr) continue;
        for (const runtime::DriverDevice& device : row.devices())
            print_line(std::string(row.title) + " device",
                       device.name + ", " + runtime::bytes_text(static_cast<std::int64_t>(device.bytes)) +
                           (device.has_float64 ? "" : "; it lacks float64, which sums are carried in"));
    }
}

void print_kept(const std::string& loops) {
    print_database();
    print_cache(loops);
}

void print_without_compiler(const std::string& why) {
    print_machine(codegen::halide_version() + " is wanted", codegen::processor_name());
    print_line("all targets", "no: " + why);
    print_devices();
    print_kept(codegen::loop_folder_path());
}

}  // namespace frisket::cli
