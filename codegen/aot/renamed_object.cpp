// SPDX-License-Identifier: MIT
#include "renamed_object.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "../../runtime/tensor/error.hpp"

namespace frisket::aot {

namespace {

/// An entry of a table in the object, which may lie anywhere.
template <class Entry>
class Place {
public:
    Place(std::string& object, std::uint64_t offset) : object_(object), offset_(offset) {
        if (offset > object.size() || object.size() - offset < sizeof(Entry))
            throw Bug("an object of loops ends within a table");
    }
    Entry read() const {
        Entry entry;
        std::memcpy(&entry, object_.data() + offset_, sizeof entry);
        return entry;
    }
    void write(const Entry& entry) const { std::memcpy(object_.data() + offset_, &entry, sizeof entry); }

private:
    std::string& object_;
    const std::uint64_t offset_;
};

}  // namespace

std::string renamed_object(std::string object,
                           std::span<const std::pair<std::string_view, std::string_view>> names) {
    const auto header = Place<Elf64_Ehdr>(object, 0).read();
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        throw Bug("loops were compiled to no ELF object of 64 bits");
    const auto section = [&](std::uint64_t i) {
        return Place<Elf64_Shdr>(object, header.e_shoff + i * sizeof(Elf64_Shdr));
    };
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr symbols = section(i).read();
        if (symbols.sh_type != SHT_SYMTAB) continue;
        Elf64_Shdr texts = section(symbols.sh_link).read();
        // The texts with new ones behind them stand at the end of the object.
        std::string all = object.substr(texts.sh_offset, texts.sh_size);
        for (std::uint64_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym)) {
            const Place<Elf64_Sym> place(object, symbols.sh_offset + at);
            Elf64_Sym symbol = place.read();
            const std::string_view name = all.data() + symbol.st_name;
            const auto known =
                std::ranges::find(names, name, &std::pair<std::string_view, std::string_view>::first);
            if (known == names.end()) continue;
            symbol.st_name = static_cast<Elf64_Word>(all.size());
            all.append(known->second).push_back('\0');
            place.write(symbol);
        }
        texts.sh_offset = object.size();
        texts.sh_size = all.size();
        object += all;
        section(symbols.sh_link).write(texts);
    }
    return object;
}

}  // namespace frisket::aot
