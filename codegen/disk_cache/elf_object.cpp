// SPDX-License-Identifier: MIT
#include "elf_object.hpp"

#include <algorithm>
#include <bit>

#include "elf_file.hpp"

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

/// Reads one object, in the order of its functions.
class ElfReader {
public:
    explicit ElfReader(std::string_view bytes) : file_(bytes) {}

    ElfObject read() {
        check_header();
        read_sections();
        read_symbols();
        for (std::size_t i = 0; i < headers_.size(); ++i)
            if (headers_[i].sh_type == SHT_RELA) read_relocations(i);
        return std::move(object_);
    }

private:
    void check_header() const {
        const Elf64_Ehdr& header = file_.header();
        if (header.e_machine != EM_X86_64)
            refuse_object(numbered("it is for machine", header.e_machine) + ", not for x86-64");
        if (header.e_type != ET_REL)
            refuse_object(numbered("it is of type", header.e_type) + ", not relocatable");
    }

    void read_sections() {
        const std::string_view names = file_.texts(file_.header().e_shstrndx, "names of sections");
        object_.sections.reserve(headers_.size());
        for (std::size_t i = 0; i < headers_.size(); ++i) object_.sections.push_back(section(i, names));
    }

    ElfObject::Section section(std::size_t i, std::string_view names) const {
        const Elf64_Shdr& header = headers_[i];
        if (header.sh_type == SHT_NULL) return {};
        ElfObject::Section made{.name = ElfFile::text_at(names, header.sh_name, "section", i),
                                .size = header.sh_size};
        if ((header.sh_flags & SHF_ALLOC) != 0) return loaded(made, i);
        constexpr std::uint32_t known[] = {SHT_PROGBITS, SHT_STRTAB, SHT_SYMTAB,          SHT_RELA,
                                           SHT_NOTE,     SHT_GROUP,  address_significance};
        if (std::ranges::count(known, header.sh_type) == 0) refuse_section(i, "type", header.sh_type);
        return made;
    }

    /// A section that is loaded, as code, constants or variables.
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
        if (header.sh_type == SHT_PROGBITS) made.bytes = file_.bytes_of(i);
        if (made.size > ElfObject::most_bytes)
            refuse_object(numbered("section", i) + numbered(" has", made.size) + " bytes, more than " +
                          std::to_string(ElfObject::most_bytes));
        return made;
    }

    [[noreturn]] static void refuse_section(std::size_t i, const char* what, std::uint64_t number) {
        refuse_object(numbered("section", i) + " has " + numbered(what, number) + ", which is not known");
    }

    void read_symbols() {
        const std::string_view names = file_.texts(headers_[file_.symbols()].sh_link, "names of symbols");
        const auto all = file_.table<Elf64_Sym>(file_.symbols());
        object_.symbols.reserve(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) object_.symbols.push_back(symbol(all[i], i, names));
    }

    ElfObject::Symbol symbol(const Elf64_Sym& found, std::size_t i, std::string_view names) const {
        constexpr unsigned char known[] = {STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE};
        const unsigned char type = ELF64_ST_TYPE(found.st_info);
        if (std::ranges::count(known, type) == 0)
            refuse_object(numbered("symbol", i) + numbered(" is of type", type) + ", which is not known");
        if (type == STT_FILE) return {};
        const std::string_view name = ElfFile::text_at(names, found.st_name, "symbol", i);
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
        if (header.sh_link != file_.symbols() || header.sh_info >= headers_.size())
            refuse_object(numbered("relocations of section", table_at) +
                          numbered(" are of symbols in", header.sh_link) +
                          numbered(" for section", header.sh_info) + ", of " +
                          std::to_string(headers_.size()));
        const ElfObject::Section& section = object_.sections[header.sh_info];
        if (!section.is_loaded) return;  // facts for debuggers
        for (const Elf64_Rela& found : file_.table<Elf64_Rela>(table_at)) {
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

    ElfFile file_;
    const std::vector<Elf64_Shdr>& headers_ = file_.sections();
    ElfObject object_;
};

}  // namespace

ElfObject read_elf(std::string_view bytes) { return ElfReader(bytes).read(); }

}  // namespace frisket::codegen
