// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

/// Memory that a process holds in fact, as the system counts its pages.
namespace frisket::testing {

/// "VmRSS", "VmHWM" of this process, in bytes.
inline std::int64_t process_bytes(const std::string& name) {
    std::ifstream in("/proc/self/status");
    for (std::string word; in >> word;) {
        std::int64_t kibi = 0;
        if (word == name + ":" && in >> kibi) return kibi * 1024;
    }
    return 0;
}

/// The most bytes that the process holds at once while something runs, in addition to the bytes that it held
/// before; nothing if this system does not count that.
template <class Run>
std::optional<std::int64_t> peak_bytes(const Run& run) {
    std::ofstream reset("/proc/self/clear_refs");
    if (!(reset << "5" << std::flush)) return {};
    const std::int64_t before = process_bytes("VmRSS");
    run();
    return process_bytes("VmHWM") - before;
}

}  // namespace frisket::testing
