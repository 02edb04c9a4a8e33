// SPDX-License-Identifier: MIT
// Objects that are wrong in one part, or in any: a sentence, or memory that is not run.
#include "../../../codegen/aot/renamed_object.hpp"
#include "../../../codegen/disk_cache/object_loader.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "elf_writer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <functional>
#include <limits>

namespace elf_objects_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

int outside() { return 17; }

const codegen::ProcessFunction functions[] = {
    {.name = "outside", .address = reinterpret_cast<std::uintptr_t>(&outside)}};

/// The code `mov eax, [rip + constant]; ret`, and a call that it never comes to.
std::string small_object() {
    return object_of(
        std::string("\x8b\5\0\0\0\0\xc3\xe8\0\0\0\0", 12),
        {relocation(2, R_X86_64_PC32, elf::constant), relocation(8, R_X86_64_PLT32, elf::outside)});
}

/// True if it is loaded; a sentence is no failure.
bool is_loaded(const std::string& object) {
    try {
        const codegen::LoadedObject loaded(object, "run", functions);
        return loaded.function() != nullptr;
    } catch (const IoError& error) {
        CHECK(std::string_view(error.what()).size() > 20);
        return false;
    }
}

void refuses(const std::string& object, const std::string& sentence) {
    CHECK_THROWS_MATCHES(codegen::LoadedObject(object, "run", functions), IoError,
                         MessageMatches(ContainsSubstring(sentence)));
}

constexpr std::uint64_t far_away = std::numeric_limits<std::uint64_t>::max() - 7;

struct Case {
    const char* sentence;
    std::function<void(std::string&)> damage;
};

template <class Field> auto header_with(Field Elf64_Ehdr::* field, std::uint64_t value) {
    return [=](std::string& object) {
        change_header(object, [&](Elf64_Ehdr& header) { header.*field = static_cast<Field>(value); });
    };
}
template <class Field> auto section_with(elf::Section i, Field Elf64_Shdr::* field, std::uint64_t value) {
    return [=](std::string& object) {
        change_section(object, i, [&](Elf64_Shdr& header) { header.*field = static_cast<Field>(value); });
    };
}
template <class Field> auto symbol_with(elf::Symbol i, Field Elf64_Sym::* field, std::uint64_t value) {
    return [=](std::string& object) {
        change_entry<Elf64_Sym>(object, elf::symbols, i,
                                [&](Elf64_Sym& symbol) { symbol.*field = static_cast<Field>(value); });
    };
}
/// Replaces the first relocation.
auto relocation_with(const Elf64_Rela& wanted) {
    return [=](std::string& object) {
        change_entry<Elf64_Rela>(object, elf::relocations, 0, [&](Elf64_Rela& found) { found = wanted; });
    };
}

const Case wrong_headers[] = {
    {"it is no ELF file", [](std::string& object) { object[1] = 'F'; }},
    {"it is not of ELF's 64 bits", [](std::string& object) { object[EI_CLASS] = ELFCLASS32; }},
    {"low bytes first", [](std::string& object) { object[EI_DATA] = ELFDATA2MSB; }},
    {"version 1", [](std::string& object) { object[EI_VERSION] = 2; }},
    {"it is for machine 183, not for x86-64", header_with(&Elf64_Ehdr::e_machine, EM_AARCH64)},
    {"it is of type 3, not relocatable", header_with(&Elf64_Ehdr::e_type, ET_DYN)},
    {"headers of its sections have 63 bytes, not 64", header_with(&Elf64_Ehdr::e_shentsize, 63)},
    {"table of sections 0 begins at byte 18446744073709551608", header_with(&Elf64_Ehdr::e_shoff, far_away)},
    {"table of sections 0 begins", header_with(&Elf64_Ehdr::e_shnum, 0xffff)},
    {"names of sections lie in section 1, which is not of texts",
     header_with(&Elf64_Ehdr::e_shstrndx, elf::text)},
    {"names of sections lie in section 255", header_with(&Elf64_Ehdr::e_shstrndx, 255)},
    {"header 0 begins at byte 0 and has 64, of 10", [](std::string& object) { object.resize(10); }},
};

const Case wrong_sections[] = {
    {"section 1 begins at byte 18446744073709551608",
     section_with(elf::text, &Elf64_Shdr::sh_offset, far_away)},
    {"section 1 begins at byte 64 and has 18446744073709551608",
     section_with(elf::text, &Elf64_Shdr::sh_size, far_away)},
    {"section 2 begins at byte 80 and has 5000", section_with(elf::constants, &Elf64_Shdr::sh_size, 5000)},
    {"section 4 has 18446744073709551608 bytes, more than 1073741824",
     section_with(elf::zeros, &Elf64_Shdr::sh_size, far_away)},
    {"bytes of memory, more than 1073741824",
     section_with(elf::zeros, &Elf64_Shdr::sh_size, std::uint64_t{1} << 30)},
    {"section 1 is aligned to 3", section_with(elf::text, &Elf64_Shdr::sh_addralign, 3)},
    {"section 3 is aligned to 8192, wanted a power of two up to 4096",
     section_with(elf::variables, &Elf64_Shdr::sh_addralign, 8192)},
    {"section 3 is aligned to 9223372036854775808",
     section_with(elf::variables, &Elf64_Shdr::sh_addralign, std::uint64_t{1} << 63)},
    {"section 1 is to be written and run",
     section_with(elf::text, &Elf64_Shdr::sh_flags, SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)},
    {"section 3 has flags 1027, which is not known",
     section_with(elf::variables, &Elf64_Shdr::sh_flags, SHF_ALLOC | SHF_WRITE | SHF_TLS)},
    {"section 2 has type 14, which is not known",
     section_with(elf::constants, &Elf64_Shdr::sh_type, SHT_INIT_ARRAY)},
    {"section 5 has type 9, which is not known",
     section_with(elf::relocations, &Elf64_Shdr::sh_type, SHT_REL)},
    {"the name of section 1 begins at byte 35, of 35", section_with(elf::text, &Elf64_Shdr::sh_name, 35)},
    {"section 7 does not end its last text", section_with(elf::names, &Elf64_Shdr::sh_size, 34)},
    {"section of texts 7 begins", section_with(elf::names, &Elf64_Shdr::sh_offset, far_away)},
    {"it has several tables of symbols", section_with(elf::relocations, &Elf64_Shdr::sh_type, SHT_SYMTAB)},
    {"it has no table of symbols", section_with(elf::symbols, &Elf64_Shdr::sh_type, SHT_NOTE)},
};

const Case wrong_symbols[] = {
    {"names of symbols lie in section 1,", section_with(elf::symbols, &Elf64_Shdr::sh_link, elf::text)},
    {"bytes in entries of 0, wanted entries of 24", section_with(elf::symbols, &Elf64_Shdr::sh_entsize, 0)},
    {"section 6 has 25 bytes", section_with(elf::symbols, &Elf64_Shdr::sh_size, 25)},
    {"the name of symbol 1 begins at byte 4294967295, of 35",
     symbol_with(elf::run, &Elf64_Sym::st_name, 0xffffffff)},
    {"symbol 1 lies in section 8, of 8", symbol_with(elf::run, &Elf64_Sym::st_shndx, elf::sections)},
    {"symbol 1 lies in section 65521", symbol_with(elf::run, &Elf64_Sym::st_shndx, SHN_ABS)},
    {"symbol 3 lies in section 65522", symbol_with(elf::variable, &Elf64_Sym::st_shndx, SHN_COMMON)},
    {"symbol 4 lies at byte 65 of section 4, which has 64", symbol_with(elf::zero, &Elf64_Sym::st_value, 65)},
    {"symbol 4 lies at byte 18446744073709551608", symbol_with(elf::zero, &Elf64_Sym::st_value, far_away)},
    {"symbol 3 is of type 6, which is not known", symbol_with(elf::variable, &Elf64_Sym::st_info, STT_TLS)},
    {"symbol 1 is of type 10, which is not known", symbol_with(elf::run, &Elf64_Sym::st_info, STT_GNU_IFUNC)},
    {"it needs the function variable, which loops are not given",
     symbol_with(elf::variable, &Elf64_Sym::st_shndx, 0)},
    {"it has no code named run", symbol_with(elf::run, &Elf64_Sym::st_shndx, elf::zeros)},
    {"it has no code named run", symbol_with(elf::run, &Elf64_Sym::st_value, 12)},
    {"it has no code named run", symbol_with(elf::run, &Elf64_Sym::st_name, 0)},
};

const Case wrong_relocations[] = {
    {"a relocation is of type 19, which is not known",
     relocation_with(relocation(2, R_X86_64_TLSGD, elf::constant))},
    {"a relocation is of type 4294967295", relocation_with(relocation(2, 0xffffffff, elf::constant))},
    {"a relocation names symbol 8, of 8", relocation_with(relocation(2, R_X86_64_PC32, elf::symbol_count))},
    {"a relocation names symbol 0, which is not in memory",
     relocation_with(relocation(2, R_X86_64_PC32, elf::no_symbol))},
    {"a relocation names symbol 6, which is not in memory",
     relocation_with(relocation(2, R_X86_64_PC32, elf::file))},
    {"a relocation names symbol 7, which is not in memory",
     relocation_with(relocation(2, R_X86_64_PC32, elf::nothing))},
    {"the place of a relocation in section 1 begins at byte 9 and has 4, of 12",
     relocation_with(relocation(9, R_X86_64_PC32, elf::constant))},
    {"begins at byte 5 and has 8, of 12", relocation_with(relocation(5, R_X86_64_64, elf::constant))},
    {"begins at byte 18446744073709551608 and has 4",
     relocation_with(relocation(far_away, R_X86_64_PC32, elf::constant))},
    {"R_X86_64_PC32 does not reach section 2 in its 4 bytes",
     relocation_with(relocation(2, R_X86_64_PC32, elf::constant, std::int64_t{1} << 31))},
    {"R_X86_64_PC32 does not reach outside", relocation_with(relocation(2, R_X86_64_PC32, elf::outside))},
    {"R_X86_64_32 does not reach section 2", relocation_with(relocation(2, R_X86_64_32, elf::constant))},
    {"R_X86_64_32S does not reach section 2", relocation_with(relocation(2, R_X86_64_32S, elf::constant))},
    {"R_X86_64_PLT32 does not reach outside",
     relocation_with(relocation(2, R_X86_64_PLT32, elf::outside, std::numeric_limits<std::int64_t>::min()))},
    {"are of symbols in 7 for section 1", section_with(elf::relocations, &Elf64_Shdr::sh_link, elf::names)},
    {"for section 8, of 8", section_with(elf::relocations, &Elf64_Shdr::sh_info, elf::sections)},
    {"the place of a relocation in section 4 begins at byte 2 and has 4, of 0",
     section_with(elf::relocations, &Elf64_Shdr::sh_info, elf::zeros)},
    {"section 5 has 48 bytes in entries of 16, wanted entries of 24",
     section_with(elf::relocations, &Elf64_Shdr::sh_entsize, 16)},
};

/// True if functions of an object other than `run` get names of a library; the error is a bug of ours.
bool is_renamed(std::string_view object) {
    const std::string kept[]{"run"};
    try {
        return aot::renamed_object(object, {.kept = kept, .base = "loops"}).find("loops_part_0") !=
               std::string::npos;
    } catch (const Bug& bug) {
        CHECK_THAT(bug.what(), ContainsSubstring("object of loops: "));
        return false;
    }
}

}  // namespace

TEST_CASE("objects of a library that are cut or wrong are bugs, for machines of any kind", "[disk_cache]") {
    const std::string whole = small_object();
    REQUIRE(is_renamed(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        INFO(length);
        CHECK(!is_renamed(std::string_view(whole).substr(0, length)));
    }
    for (const Case& wrong : wrong_headers) {
        std::string object = whole;
        wrong.damage(object);
        const std::string_view sentence = wrong.sentence;
        INFO(sentence);
        const bool is_kind =
            sentence.find("machine") != sentence.npos || sentence.find("not relocatable") != sentence.npos;
        CHECK(is_renamed(object) == is_kind);
    }
}

TEST_CASE("objects that are wrong in one place are refused with a sentence", "[disk_cache]") {
    REQUIRE(is_loaded(small_object()));
    for (const std::span<const Case> cases :
         {std::span<const Case>(wrong_headers), std::span<const Case>(wrong_sections),
          std::span<const Case>(wrong_symbols), std::span<const Case>(wrong_relocations)})
        for (const Case& wrong : cases) {
            std::string object = small_object();
            wrong.damage(object);
            refuses(object, wrong.sentence);
        }
}

TEST_CASE("objects that are cut anywhere are refused", "[disk_cache]") {
    const std::string whole = small_object();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        INFO(length);
        CHECK(!is_loaded(std::string(whole.data(), length)));
    }
}

TEST_CASE("objects with any wrong byte are refused, or loaded within their memory", "[disk_cache]") {
    const std::string whole = small_object();
    int loaded = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
        for (const unsigned bits : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
            std::string damaged = whole;
            damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ bits);
            if (is_loaded(damaged)) ++loaded;
        }
    CHECK(loaded > 0);
    CHECK(loaded < static_cast<int>(whole.size()) * 9);
}

}  // namespace elf_objects_test
