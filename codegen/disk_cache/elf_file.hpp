// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frisket::codegen {

/// Errors: IoError, always.
[[noreturn]] void refuse_object(const std::string& why);
/// "section 3".
std::string numbered(const char* what, std::uint64_t number);
/// Bytes of a part of an object.  Errors: IoError if they are outside it.
std::string_view part_of_object(std::string_view bytes, std::uint64_t offset, std::uint64_t size,
                                const char* what, std::uint64_t number);

/// An ELF file of 64 bits, low bytes first, with sections and one table of symbols, read strictly: offsets
/// and sizes are within the bytes, of which the results are views.
/// Errors: IoError, with a sentence, of all functions.
class ElfFile {
public:
    explicit ElfFile(std::string_view bytes);

    const Elf64_Ehdr& header() const { return header_; }
    const std::vector<Elf64_Shdr>& sections() const { return sections_; }
    /// The section with the table of symbols.
    std::size_t symbols() const { return symbols_; }

    std::string_view bytes_of(std::size_t section, const char* what = "section") const;
    /// The texts of a section, of which the last one ends with it.
    std::string_view texts(std::uint64_t section, const char* what) const;
    static std::string_view text_at(std::string_view texts, std::uint64_t offset, const char* what,
                                    std::uint64_t number);
    /// The entries of a section that is a table, each copied: tables may begin at any byte.
    template <class Entry>
    std::vector<Entry> table(std::size_t section) const {
        check_entries(section, sizeof(Entry));
        return entries_of<Entry>(bytes_of(section));
    }

private:
    template <class Entry>
    static std::vector<Entry> entries_of(std::string_view bytes) {
        std::vector<Entry> all(bytes.size() / sizeof(Entry));
        bytes.copy(reinterpret_cast<char*>(all.data()), all.size() * sizeof(Entry));
        return all;
    }
    void check_entries(std::size_t section, std::size_t bytes) const;
    std::size_t find_symbols() const;

    std::string_view bytes_;
    Elf64_Ehdr header_;
    std::vector<Elf64_Shdr> sections_;
    std::size_t symbols_;
};

}  // namespace frisket::codegen
