// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../loops/schedule.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ranges>

#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"

namespace frisket {

std::string_view name_of(const TargetName& target) {
    if (!target.name.empty()) return target.name;
    const char* wanted = std::getenv("FRISKET_TARGET");
    return wanted && *wanted ? wanted : "cpu";
}

const TargetRow& find_target(const TargetName& target) {
    const std::string_view name = name_of(target);
    const auto row = std::ranges::find(known_targets(), name, &TargetRow::name);
    if (row == known_targets().end())
        throw TargetError("target: there is no target \"" + std::string(name) + "\": there are " +
                          runtime::joined(known_targets(), &TargetRow::name));
    return *row;
}

namespace {

/// Loads a device's driver for the whole process, so that Halide finds it: its own search ends the process if
/// the driver is missing.  It is never unloaded.
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
    static std::atomic<std::uint64_t> present = 0;  // bits of rows: that they are here does not change
    const std::uint64_t bit = std::uint64_t{1} << (&row - known_targets().data());
    if ((present.load(std::memory_order_relaxed) & bit) != 0) return row;
    const std::string why = why_absent(row);
    if (why.empty()) present |= bit;
    if (why.empty()) return row;
    const auto is_present = [](const TargetRow& other) { return why_absent(other).empty(); };
    throw TargetError("target " + std::string(row.name) + ": " + why + ": this machine has " +
                      runtime::joined(known_targets() | std::views::filter(is_present), &TargetRow::name));
}

}  // namespace frisket
