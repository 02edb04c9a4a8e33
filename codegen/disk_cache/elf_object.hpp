// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frisket::codegen {

/// Computation of the number at a position of a loaded object: one row for each type of relocation that is
/// known.
struct RelocationKind {
    /// The address that the number leads to: a symbol's address, or the address of a jump to it or of a slot
    /// that holds it.
    enum class To : std::uint8_t { symbol, jump, slot };
    std::uint32_t type;
    std::string_view name;
    To to;
    bool is_relative;  ///< the distance from the position, else the address
    bool is_signed;
    std::size_t bytes;
};

/// A relocatable ELF object for x86-64, read strictly: all indices are in range, all offsets and sizes are
/// within the bytes, and unknown kinds are refused.  Names and bytes are views of the input.
struct ElfObject {
    struct Section {
        std::string_view name = {};
        std::string_view bytes = {};  ///< none of memory that begins as zeros
        std::uint64_t size = 0;       ///< at most `most_bytes`
        std::uint64_t alignment = 1;  ///< a power of two, at most `most_alignment`
        bool is_loaded = false;
        bool is_writable = false;
        bool is_executable = false;  ///< and then not writable
    };
    struct Symbol {
        std::string_view name = {};
        std::size_t section = 0;  ///< 0: outside of the object
        std::uint64_t value = 0;  ///< offset in its section, at most its size
    };
    struct Relocation {
        const RelocationKind* kind;
        std::size_t section;   ///< the section to patch, which is loaded and has bytes
        std::uint64_t offset;  ///< of the position in it
        std::size_t symbol;    ///< has a name, or is in a section that is loaded
        std::int64_t addend;
    };
    static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
    static constexpr std::uint64_t most_alignment = 4096;

    std::vector<Section> sections = {};
    std::vector<Symbol> symbols = {};
    std::vector<Relocation> relocations = {};
};

/// Errors: IoError, with a sentence, if the bytes are no such object.
ElfObject read_elf(std::string_view bytes);

}  // namespace frisket::codegen
