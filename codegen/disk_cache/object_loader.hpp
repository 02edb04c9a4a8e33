// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace frisket::codegen {

/// True where objects can be loaded: their relocations, and jumps to the process, are specific to one
/// processor.
#ifdef __x86_64__
inline constexpr bool loads_objects = true;
#else
inline constexpr bool loads_objects = false;
#endif

/// A function of the process that loaded code may call, by the name that objects know.
struct ProcessFunction {
    std::string_view name;
    std::uintptr_t address;
};

/// Memory of the process: pages that are written, until they are protected.
class Pages {
public:
    /// Errors: IoError if memory is short.
    explicit Pages(std::size_t bytes);
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    /// Gives pages their protection.  Errors: IoError if the system does not let them have it.
    void protect(std::size_t begin, std::size_t end, int protection) const;

private:
    std::size_t size_;
    std::byte* data_;
};

struct ObjectLayout;

/// Code and data of an ELF object within this process.  Pages with code cannot be written, pages that can be
/// written cannot be run.
class LoadedObject {
public:
    /// Takes an array of pointers, as specified in kernel_module.hpp; returns Halide's code.
    using Function = int (*)(const void** argv);

    /// Errors: IoError, with a sentence, if the bytes are no object for x86-64, it needs a function that is
    /// not among `functions`, or it has no code named `entry`.
    LoadedObject(std::string_view object, std::string_view entry, std::span<const ProcessFunction> functions);

    Function function() const noexcept { return function_; }
    /// Memory that it takes.
    std::size_t bytes() const noexcept { return pages_.size(); }

private:
    LoadedObject(const ObjectLayout& layout, std::string_view entry,
                 std::span<const ProcessFunction> functions);

    Pages pages_;
    Function function_ = nullptr;
};

}  // namespace frisket::codegen
