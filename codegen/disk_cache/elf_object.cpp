// SPDX-License-Identifier: MIT
#include "elf_object.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "../../runtime/tensor/error.hpp"

namespace frisket::codegen {

namespace {

constexpr std::uint32_t address_significance = 0x6fff4c03;  // LLVM's SHT_LLVM_ADDRSIG

constexpr RelocationKind relocation_kinds[] = {
    {R_X86_64_64, "R_X86_64_64", RelocationKind::To::symbol, false, false, 8},
    {R_X86_64_PC64, "R_X86_64_PC64", RelocationKind::To::symbol, true, true, 8},
    {R_X86_64_PC32, "R_X86_64_PC32", RelocationKind::To::symbol, true, true, 4},
    {R_X86_64_32, "R_X86_64_32", RelocationKind::To::symbol, false, false, 4},
    {R_X86_64_32S, "R_X86_64_32S", RelocationKind::To::symbol, false, true, 4},
    {R_X86_64_PLT32, "R_X86_64_PLT32", RelocationKind::To::jump, true, true, 4},
    {R_X86_64_GOTPCREL, "R_X86_64_GOTPCREL", RelocationKind::To::slot, true, true, 4},
    {R_X86_64_GOTPCRELX, "R_X86_64_GOTPCRELX", RelocationKind::To::slot, true, true, 4},
    {R_X86_64_REX_GOTPCRELX, "R_X86_64_REX_GOTPCRELX", RelocationKind::To::slot, true, true, 4},
};

std::string numbered(const char* what, std::uint64_t number) {
    return std::string(what) + " " + std::to_string(number);
}

/// The bytes of a part of the object: "section 3".
std::string_view part_of_object(std::string_view bytes, std::uint64_t offset, std::uint64_t size,
                                const char* what, std::uint64_t number) {
    if (offset > bytes.size() || size > bytes.size() - offset)
        refuse_object(numbered(what, number) + " begins at byte " + std::to_string(offset) + " and has " +
                      std::to_string(size) + ", of " + std::to_string(bytes.size()));
    return bytes.substr(offset, size);
}

/// Bytes as the entries of a table, each copied: nothing is said of how they are aligned.
template <class Entry> std::vector<Entry> entries_of(std::string_view bytes) {
    std::vector<Entry> all(bytes.size() / sizeof(Entry));
    bytes.copy(reinterpret_cast<char*>(all.data()), all.size() * sizeof(Entry));
    return all;
}

/// Reads one object, in the order of its functions.
class ElfReader {
public:
    explicit ElfReader(std::string_view bytes) : bytes_(bytes) {}

    ElfObject read() {
        read_header();
        read_sections();
        read_symbols();
        for (std::size_t i = 0; i < headers_.size(); ++i)
            if (headers_[i].sh_type == SHT_RELA) read_relocations(i);
        return std::move(object_);
    }

private:
    void read_header() {
        std::memcpy(&header_, part_of_object(bytes_, 0, sizeof header_, "header", 0).data(), sizeof header_);
        const unsigned char* const id = header_.e_ident;
        if (std::memcmp(id, ELFMAG, SELFMAG) != 0) refuse_object("it is no ELF file");
        if (id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB || id[EI_VERSION] != EV_CURRENT)
            refuse_object("it is not of ELF's 64 bits, low bytes first, version 1");
        if (header_.e_machine != EM_X86_64)
            refuse_object(numbered("it is for machine", header_.e_machine) + ", not for x86-64");
        if (header_.e_type != ET_REL)
            refuse_object(numbered("it is of type", header_.e_type) + ", not relocatable");
        if (header_.e_shentsize != sizeof(Elf64_Shdr))
            refuse_object(numbered("headers of its sections have", header_.e_shentsize) + " bytes, not 64");
    }

    void read_sections() {
        const std::uint64_t size = std::uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr);
        headers_ =
            entries_of<Elf64_Shdr>(part_of_object(bytes_, header_.e_shoff, size, "table of sections", 0));
        const std::string_view names = texts(header_.e_shstrndx, "names of sections");
        object_.sections.reserve(headers_.size());
        for (std::size_t i = 0; i < headers_.size(); ++i) object_.sections.push_back(section(i, names));
    }

    ElfObject::Section section(std::size_t i, std::string_view names) const {
        const Elf64_Shdr& header = headers_[i];
        if (header.sh_type == SHT_NULL) return {};
        ElfObject::Section made{.name = text_at(names, header.sh_name, "section", i), .size = header.sh_size};
        if ((header.sh_flags & SHF_ALLOC) != 0) return loaded(made, i);
        constexpr std::uint32_t known[] = {SHT_PROGBITS, SHT_STRTAB, SHT_SYMTAB,          SHT_RELA,
                                           SHT_NOTE,     SHT_GROUP,  address_significance};
        if (std::ranges::count(known, header.sh_type) == 0) refuse_section(i, "type", header.sh_type);
        return made;
    }

    /// A section that lies in memory, as code, constants or variables.
    ElfObject::Section loaded(ElfObject::Section made, std::size_t i) const {
        const Elf64_Shdr& header = headers_[i];
        constexpr std::uint64_t known =
            SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS | SHF_GROUP;
        if ((header.sh_flags & ~known) != 0) refuse_section(i, "flags", header.sh_flags);
        if (header.sh_type != SHT_PROGBITS && header.sh_type != SHT_NOBITS)
            refuse_section(i, "type", header.sh_type);
        made.is_loaded = true;
        made.is_writable = (header.sh_flags & SHF_WRITE) != 0;
        made.is_executable = (header.sh_flags & SHF_EXECINSTR) != 0;
        if (made.is_writable && made.is_executable)
            refuse_object(numbered("section", i) + " is to be written and run");
        made.alignment = std::max<std::uint64_t>(header.sh_addralign, 1);
        if (!std::has_single_bit(made.alignment) || made.alignment > ElfObject::most_alignment)
            refuse_object(numbered("section", i) + numbered(" is aligned to", header.sh_addralign) +
                          ", wanted a power of two up to " + std::to_string(ElfObject::most_alignment));
        if (header.sh_type == SHT_PROGBITS)
            made.bytes = part_of_object(bytes_, header.sh_offset, header.sh_size, "section", i);
        if (made.size > ElfObject::most_bytes)
            refuse_object(numbered("section", i) + numbered(" has", made.size) + " bytes, more than " +
                          std::to_string(ElfObject::most_bytes));
        return made;
    }

    [[noreturn]] static void refuse_section(std::size_t i, const char* what, std::uint64_t number) {
        refuse_object(numbered("section", i) + " has " + numbered(what, number) + ", which is not known");
    }

    /// The texts of a section, of which the last one ends with it.
    std::string_view texts(std::uint64_t i, const char* what) const {
        if (i >= headers_.size() || headers_[i].sh_type != SHT_STRTAB)
            refuse_object(std::string(what) + numbered(" lie in section", i) + ", which is not of texts");
        const std::string_view all =
            part_of_object(bytes_, headers_[i].sh_offset, headers_[i].sh_size, "section of texts", i);
        if (all.empty() || all.back() != '\0')
            refuse_object(numbered("section", i) + " does not end its last text");
        return all;
    }

    static std::string_view text_at(std::string_view texts, std::uint64_t offset, const char* what,
                                    std::uint64_t number) {
        if (offset >= texts.size())
            refuse_object("the name of " + numbered(what, number) + numbered(" begins at byte", offset) +
                          ", of " + std::to_string(texts.size()));
        return texts.data() + offset;  // as far as the next zero, which is there
    }

    /// The entries of a section that is a table.
    template <class Entry> std::vector<Entry> table(std::size_t i) const {
        const Elf64_Shdr& header = headers_[i];
        if (header.sh_entsize != sizeof(Entry) || header.sh_size % sizeof(Entry) != 0)
            refuse_object(numbered("section", i) + numbered(" has", header.sh_size) +
                          numbered(" bytes in entries of", header.sh_entsize) + ", wanted entries of " +
                          std::to_string(sizeof(Entry)));
        return entries_of<Entry>(part_of_object(bytes_, header.sh_offset, header.sh_size, "section", i));
    }

    void read_symbols() {
        for (std::size_t i = 1; i < headers_.size(); ++i) {
            if (headers_[i].sh_type != SHT_SYMTAB) continue;
            if (symbols_ != 0) refuse_object("it has several tables of symbols");
            symbols_ = i;
        }
        if (symbols_ == 0) refuse_object("it has no table of symbols");
        const std::string_view names = texts(headers_[symbols_].sh_link, "names of symbols");
        const auto all = table<Elf64_Sym>(symbols_);
        object_.symbols.reserve(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) object_.symbols.push_back(symbol(all[i], i, names));
    }

    ElfObject::Symbol symbol(const Elf64_Sym& found, std::size_t i, std::string_view names) const {
        constexpr unsigned char known[] = {STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE};
        const unsigned char type = ELF64_ST_TYPE(found.st_info);
        if (std::ranges::count(known, type) == 0)
            refuse_object(numbered("symbol", i) + numbered(" is of type", type) + ", which is not known");
        if (type == STT_FILE) return {};
        const std::string_view name = text_at(names, found.st_name, "symbol", i);
        if (found.st_shndx == SHN_UNDEF) return {.name = name};
        if (found.st_shndx >= headers_.size())
            refuse_object(numbered("symbol", i) + numbered(" lies in section", found.st_shndx) + ", of " +
                          std::to_string(headers_.size()));
        const ElfObject::Section& section = object_.sections[found.st_shndx];
        if (found.st_value > section.size)
            refuse_object(numbered("symbol", i) + numbered(" lies at byte", found.st_value) +
                          numbered(" of section", found.st_shndx) + ", which has " +
                          std::to_string(section.size));
        return {.name = name, .section = found.st_shndx, .value = found.st_value};
    }

    void read_relocations(std::size_t table_at) {
        const Elf64_Shdr& header = headers_[table_at];
        if (header.sh_link != symbols_ || header.sh_info >= headers_.size())
            refuse_object(numbered("relocations of section", table_at) +
                          numbered(" are of symbols in", header.sh_link) +
                          numbered(" for section", header.sh_info) + ", of " +
                          std::to_string(headers_.size()));
        const ElfObject::Section& section = object_.sections[header.sh_info];
        if (!section.is_loaded) return;  // facts for debuggers
        for (const Elf64_Rela& found : table<Elf64_Rela>(table_at)) {
            const ElfObject::Relocation made{.kind = &kind_of(ELF64_R_TYPE(found.r_info)),
                                             .section = header.sh_info,
                                             .offset = found.r_offset,
                                             .symbol = ELF64_R_SYM(found.r_info),
                                             .addend = found.r_addend};
            part_of_object(section.bytes, made.offset, made.kind->bytes,
                           "the place of a relocation in section", made.section);
            check_target(made.symbol);
            object_.relocations.push_back(made);
        }
    }

    static const RelocationKind& kind_of(std::uint32_t type) {
        const auto* const found = std::ranges::find(relocation_kinds, type, &RelocationKind::type);
        if (found == std::end(relocation_kinds))
            refuse_object(numbered("a relocation is of type", type) + ", which is not known");
        return *found;
    }

    void check_target(std::size_t symbol) const {
        if (symbol >= object_.symbols.size())
            refuse_object(numbered("a relocation names symbol", symbol) + ", of " +
                          std::to_string(object_.symbols.size()));
        const ElfObject::Symbol& target = object_.symbols[symbol];
        if (target.section == 0 ? target.name.empty() : !object_.sections[target.section].is_loaded)
            refuse_object(numbered("a relocation names symbol", symbol) + ", which is not in memory");
    }

    std::string_view bytes_;
    Elf64_Ehdr header_{};
    std::vector<Elf64_Shdr> headers_;
    std::size_t symbols_ = 0;  // the section of their table
    ElfObject object_;
};

}  // namespace

void refuse_object(const std::string& why) { throw IoError("object of loops: " + why); }

ElfObject read_elf(std::string_view bytes) { return ElfReader(bytes).read(); }

}  // namespace frisket::codegen
