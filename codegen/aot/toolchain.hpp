// SPDX-License-Identifier: MIT
// Compiles the sources of a kernel library, and links them to a shared library.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace frisket::aot {

using Words = std::vector<std::string>;

/// A C++ compiler, and the headers and libraries of frisket for its processor.
struct Toolchain {
    Words compiler{};  ///< a command and options that it always has
    std::filesystem::path include{};
    std::filesystem::path libraries{};
};

/// The compiler that $CXX names, else `c++`.
std::string compiler_of_environment();
/// A compiler, and options: C++20, and $CXXFLAGS.
Words compiler_named(const std::string& name);

/// Returns whether a target by its name is a device.
bool is_device(const std::string& target);

/// The files of a kernel library that make_library() wrote to a folder.
struct KernelFiles {
    std::string name{};
    std::filesystem::path folder{};
    Words steps{};    ///< names of steps, functions and optimizers
    Words targets{};  ///< as they were given to make_library()
};

/// Words of two lists.
Words with(Words words, const Words& more);

/// The command that compiles a source of a library into an object; `headers`: more folders of headers.
Words compiling(const Toolchain& tools, const std::filesystem::path& folder, const Words& headers,
                const std::string& source, const std::string& object);
/// Compiles the sources of a library.  Returns the objects that it is linked from.
/// Errors: IoError with the command that failed.
Words compile_sources(const Toolchain& tools, const KernelFiles& files, const Words& headers = {});
/// Links OUT/lib/libNAME.so.VERSION, with links of its shorter names, and copies the headers to OUT/include.
/// Returns the library's path.
/// Errors: IoError if a file cannot be written, or with the command that failed.
std::filesystem::path link_shared(const Toolchain& tools, const KernelFiles& files, const Words& objects,
                                  const std::string& version, const std::filesystem::path& out);

/// Copies a file, and makes the folders of its path.
void place(const std::filesystem::path& from, const std::filesystem::path& to);
/// Copies the headers of a library, and its file of pkg-config, into include/ and lib/pkgconfig/ of `out`.
void place_headers(const KernelFiles& files, const std::filesystem::path& out);

}  // namespace frisket::aot
