// SPDX-License-Identifier: MIT
#include "loaded_loops.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "../../runtime/tensor/error.hpp"
#include "files.hpp"

namespace frisket::codegen {

namespace {

/// The path of an open file, another one at every call: for a path that it knows the system gives the
/// library that it has, whatever lies there now.
std::string new_path_of(int file) {
    static std::atomic<std::uint64_t> count{0};
    std::string path = "/proc/self/fd";
    for (std::uint64_t rest = ++count; rest > 0; rest >>= 1U) path += (rest & 1U) != 0 ? "/." : "//";
    return path + "/" + std::to_string(file);
}

[[noreturn]] void fail(const std::string& why) { throw IoError("loops on disk: cannot be loaded: " + why); }

}  // namespace

LoadedLoops::LoadedLoops(std::string_view library, const FrisketLoopRuntime& runtime)
    : bytes_(library.size()) {
    const MemoryFile file(library);
    library_ = dlopen(new_path_of(file.number()).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
        const char* const why = dlerror();
        fail(why != nullptr ? why : "for no reason that the system says");
    }
    auto* const table = static_cast<FrisketLoopRuntime*>(dlsym(library_, "frisket_loop_runtime"));
    // Appended, as g++ 12 warns of operator+ wrongly here (GCC's bug 105651).
    std::string name(function_name);
    name += "_argv";
    function_ = reinterpret_cast<Function>(dlsym(library_, name.c_str()));
    if (table == nullptr || function_ == nullptr) {
        dlclose(library_);
        fail("it has no loops");
    }
    *table = runtime;
}

LoadedLoops::~LoadedLoops() { dlclose(library_); }

}  // namespace frisket::codegen
