// SPDX-License-Identifier: MIT
#pragma once
#include <elf.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// Objects of a few bytes of machine code, written by hand, and how to damage them.
namespace frisket::testing {

/// Numbers of its sections and symbols.
namespace elf {
enum Section : std::uint16_t {
    none,
    text,
    constants,
    variables,
    zeros,
    relocations,
    symbols,
    names,
    sections
};
enum Symbol : std::uint32_t {
    no_symbol,
    run,
    constant,
    variable,
    zero,
    outside,
    file,
    nothing,
    symbol_count
};
}  // namespace elf

/// A relocation of the code.
inline Elf64_Rela relocation(std::uint64_t offset, std::uint32_t type, elf::Symbol symbol,
                             std::int64_t addend = -4) {
    return {.r_offset = offset, .r_info = ELF64_R_INFO(std::uint64_t{symbol}, type), .r_addend = addend};
}

template <class Entry> std::string bytes_of(const std::vector<Entry>& entries) {
    std::string bytes(entries.size() * sizeof(Entry), '\0');
    std::memcpy(bytes.data(), entries.data(), bytes.size());
    return bytes;
}

/// An object with a function `run` of this code, the constant 42, a variable 7, and 64 bytes of zeros.
inline std::string object_of(const std::string& code, const std::vector<Elf64_Rela>& places = {}) {
    const std::string texts("\0run\0variable\0zero\0outside\0nothing\0", 35);
    const auto name = [&](const char* text) { return static_cast<Elf64_Word>(texts.find(text)); };
    constexpr std::uint8_t function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), object = STT_OBJECT;
    // Name, type, visibility, section, value, size.
    const std::vector<Elf64_Sym> all{
        {},
        {name("run"), function, 0, elf::text, 0, 0},
        {0, STT_SECTION, 0, elf::constants, 0, 0},
        {name("variable"), object, 0, elf::variables, 4, 4},
        {name("zero"), object, 0, elf::zeros, 60, 4},
        {name("outside"), function, 0, SHN_UNDEF, 0, 0},
        {name("nothing"), STT_FILE, 0, SHN_ABS, 0, 0},
        {name("nothing"), object, 0, elf::names, 0, 0},
    };
    const std::array<std::string, elf::sections> contents{"",
                                                          code,
                                                          std::string("\x2a\0\0\0", 4),
                                                          std::string("\0\0\0\0\7\0\0\0", 8),
                                                          "",
                                                          bytes_of(places),
                                                          bytes_of(all),
                                                          texts};
    // Name, type, flags, address, offset, size, link, info, alignment, bytes of an entry.
    std::vector<Elf64_Shdr> headers{
        {},
        {0, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0, 0, 0, 0, 16, 0},
        {0, SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, 0, 0, 0, 0, 0, 4, 0},
        {0, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, 0, 0, 0, 0, 64, 0},
        {0, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0, 0, 64, 0, 0, 0, 0},
        {0, SHT_RELA, SHF_INFO_LINK, 0, 0, 0, elf::symbols, elf::text, 8, sizeof(Elf64_Rela)},
        {0, SHT_SYMTAB, 0, 0, 0, 0, elf::names, 1, 8, sizeof(Elf64_Sym)},
        {0, SHT_STRTAB, 0, 0, 0, 0, 0, 0, 1, 0},
    };
    std::string bytes(sizeof(Elf64_Ehdr), '\0');
    for (std::size_t i = 1; i < elf::sections; ++i) {
        headers[i].sh_offset = bytes.size();
        if (headers[i].sh_type != SHT_NOBITS) headers[i].sh_size = contents[i].size();
        bytes += contents[i] + std::string((8 - contents[i].size() % 8) % 8, '\0');
    }
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_shoff = bytes.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = elf::sections;
    header.e_shstrndx = elf::names;
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes + bytes_of(headers);
}

/// A part of an object as a struct, which can be changed.
template <class Struct, class Change> void change(std::string& object, std::uint64_t offset, Change how) {
    Struct part;
    std::memcpy(&part, object.data() + offset, sizeof part);
    how(part);
    std::memcpy(object.data() + offset, &part, sizeof part);
}
template <class Change> void change_header(std::string& object, Change how) {
    change<Elf64_Ehdr>(object, 0, how);
}
template <class Change> void change_section(std::string& object, std::uint64_t i, Change how) {
    std::uint64_t table = 0;
    change_header(object, [&](const Elf64_Ehdr& header) { table = header.e_shoff; });
    change<Elf64_Shdr>(object, table + i * sizeof(Elf64_Shdr), how);
}
/// Changes entry `i` of a section that is a table.
template <class Entry, class Change>
void change_entry(std::string& object, elf::Section section, std::uint64_t i, Change how) {
    std::uint64_t table = 0;
    change_section(object, section, [&](const Elf64_Shdr& header) { table = header.sh_offset; });
    change<Entry>(object, table + i * sizeof(Entry), how);
}

}  // namespace frisket::testing
