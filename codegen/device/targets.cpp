// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../loops/schedule.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <ranges>

#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"

namespace frisket {

namespace {

constexpr TargetRow target_table[] = {
    {.name = "cpu", .halide = "host", .gpu = false},
    // Halide rounds huge numbers wrongly below SSE4.1.
    {.name = "x86-64", .halide = "x86-64-linux-sse41", .gpu = false},
    {.name = "x86-64-avx2", .halide = "x86-64-linux-avx-avx2-f16c-fma-sse41", .gpu = false},
    {.name = "x86-64-avx512",
     .halide = "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41",
     .gpu = false},
    {.name = "arm-64", .halide = "arm-64-linux", .gpu = false},
    {.name = "opencl", .halide = "host-opencl-cl_doubles", .gpu = true, .driver = "libOpenCL.so.1"},
    // Halide 21 knows capabilities up to 86; code for 80 runs on all later devices.
    {.name = "cuda", .halide = "host-cuda-cuda_capability_80", .gpu = true, .driver = "libcuda.so.1"},
    {.name = "vulkan",
     .halide = "host-vulkan-vk_int8-vk_int64-vk_float64-vk_v13",
     .gpu = true,
     .driver = "libvulkan.so.1",
     .is_linkable = false},
};

std::string names() { return runtime::joined(target_table, &TargetRow::name); }

}  // namespace

std::span<const TargetRow> known_targets() { return target_table; }

std::string_view name_of(const TargetName& target) {
    if (!target.name.empty()) return target.name;
    const char* wanted = std::getenv("FRISKET_TARGET");
    return wanted && *wanted ? wanted : "cpu";
}

const TargetRow& find_target(const TargetName& target) {
    const std::string_view name = name_of(target);
    const auto* row = std::ranges::find(target_table, name, &TargetRow::name);
    if (row == std::end(target_table))
        throw TargetError("target: there is no target \"" + std::string(name) + "\": there are " + names());
    return *row;
}

namespace {

/// Loads a device's driver for the whole process, so that Halide finds it: its own search ends the
/// process where there is none.  It is never unloaded.
bool has_driver(const char* library) { return dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nullptr; }

}  // namespace

std::string why_absent(const TargetRow& target) {
    const runtime::NoFork whole;  // no child finds a static variable of Halide half made
    const Halide::Target wanted{std::string(target.halide)};
    if (target.gpu) {
        if (!has_driver(target.driver))
            return "there is no " + std::string(target.driver) + " on this machine";
        return Halide::host_supports_target_device(wanted) ? "" : "there is no such device on this machine";
    }
    const Halide::Target host = Halide::get_host_target();
    if (wanted.arch != host.arch || wanted.os != host.os)
        return "this machine's processor is of another kind";
    for (int feature = 0; feature < Halide::Target::FeatureEnd; ++feature) {
        const auto f = static_cast<Halide::Target::Feature>(feature);
        if (wanted.has_feature(f) && !host.has_feature(f))
            return "this machine's processor has no " + Halide::Target::feature_to_name(f);
    }
    return "";
}

const TargetRow& check_present(const TargetName& target) {
    const TargetRow& row = find_target(target);
    static std::atomic<bool> is_known[std::size(target_table)];  // to be here: that does not change
    std::atomic<bool>& is_here = is_known[&row - target_table];
    if (is_here.load(std::memory_order_relaxed)) return row;
    const std::string why = why_absent(row);
    is_here = why.empty();
    if (why.empty()) return row;
    const auto is_present = [](const TargetRow& other) { return why_absent(other).empty(); };
    throw TargetError("target " + std::string(row.name) + ": " + why + ": this machine has " +
                      runtime::joined(known_targets() | std::views::filter(is_present), &TargetRow::name));
}

}  // namespace frisket
