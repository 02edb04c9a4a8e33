// SPDX-License-Identifier: MIT
#include "elf_file.hpp"

#include <cstring>

#include "../../runtime/tensor/error.hpp"

namespace frisket::codegen {

void refuse_object(const std::string& why) { throw IoError("object of loops: " + why); }

std::string numbered(const char* what, std::uint64_t number) {
    return std::string(what) + " " + std::to_string(number);
}

std::string_view part_of_object(std::string_view bytes, std::uint64_t offset, std::uint64_t size,
                                const char* what, std::uint64_t number) {
    if (offset > bytes.size() || size > bytes.size() - offset)
        refuse_object(numbered(what, number) + " begins at byte " + std::to_string(offset) + " and has " +
                      std::to_string(size) + ", of " + std::to_string(bytes.size()));
    return bytes.substr(offset, size);
}

ElfFile::ElfFile(std::string_view bytes) : bytes_(bytes) {
    std::memcpy(&header_, part_of_object(bytes, 0, sizeof header_, "header", 0).data(), sizeof header_);
    const unsigned char* const id = header_.e_ident;
    if (std::memcmp(id, ELFMAG, SELFMAG) != 0) refuse_object("it is no ELF file");
    if (id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB || id[EI_VERSION] != EV_CURRENT)
        refuse_object("it is not of ELF's 64 bits, low bytes first, version 1");
    if (header_.e_shentsize != sizeof(Elf64_Shdr))
        refuse_object(numbered("headers of its sections have", header_.e_shentsize) + " bytes, not 64");
    const std::uint64_t size = std::uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr);
    sections_ = entries_of<Elf64_Shdr>(part_of_object(bytes, header_.e_shoff, size, "table of sections", 0));
    symbols_ = find_symbols();
}

std::size_t ElfFile::find_symbols() const {
    std::size_t found = 0;
    for (std::size_t i = 1; i < sections_.size(); ++i) {
        if (sections_[i].sh_type != SHT_SYMTAB) continue;
        if (found != 0) refuse_object("it has several tables of symbols");
        found = i;
    }
    if (found == 0) refuse_object("it has no table of symbols");
    return found;
}

std::string_view ElfFile::bytes_of(std::size_t section, const char* what) const {
    return part_of_object(bytes_, sections_[section].sh_offset, sections_[section].sh_size, what, section);
}

std::string_view ElfFile::texts(std::uint64_t section, const char* what) const {
    if (section >= sections_.size() || sections_[section].sh_type != SHT_STRTAB)
        refuse_object(std::string(what) + numbered(" lie in section", section) + ", which is not of texts");
    const std::string_view all = bytes_of(section, "section of texts");
    if (all.empty() || all.back() != '\0')
        refuse_object(numbered("section", section) + " does not end its last text");
    return all;
}

std::string_view ElfFile::text_at(std::string_view texts, std::uint64_t offset, const char* what,
                                  std::uint64_t number) {
    if (offset >= texts.size())
        refuse_object("the name of " + numbered(what, number) + numbered(" begins at byte", offset) +
                      ", of " + std::to_string(texts.size()));
    return texts.data() + offset;  // as far as the next zero, which is there
}

void ElfFile::check_entries(std::size_t section, std::size_t bytes) const {
    const Elf64_Shdr& header = sections_[section];
    if (header.sh_entsize != bytes || header.sh_size % bytes != 0)
        refuse_object(numbered("section", section) + numbered(" has", header.sh_size) +
                      numbered(" bytes in entries of", header.sh_entsize) + ", wanted entries of " +
                      std::to_string(bytes));
}

}  // namespace frisket::codegen
