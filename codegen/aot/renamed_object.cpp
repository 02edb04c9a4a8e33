// SPDX-License-Identifier: MIT
#include "renamed_object.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "../../runtime/tensor/error.hpp"

namespace frisket::aot {

namespace {

/// Entries of a table at an offset of an object.
template <class Entry>
std::vector<Entry> entries(const std::string& object, std::uint64_t offset, std::uint64_t count) {
    if (offset > object.size() || count > (object.size() - offset) / sizeof(Entry))
        throw Bug("an object of loops ends within a table");
    std::vector<Entry> all(count);
    if (count > 0) std::memcpy(all.data(), object.data() + offset, count * sizeof(Entry));
    return all;
}

template <class Entry>
void append(std::string& to, const std::vector<Entry>& all) {
    if (!all.empty()) to.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Entry));
}

/// A table of names on its way.
class Names {
public:
    Elf64_Word add(std::string_view name) {
        const auto [known, is_new] = offsets_.try_emplace(std::string(name), text_.size());
        if (is_new) text_.append(name).push_back('\0');
        return static_cast<Elf64_Word>(known->second);
    }
    const std::string& text() const { return text_; }

private:
    std::string text_{'\0'};
    std::map<std::string, std::size_t> offsets_{{"", 0}};
};

/// An object in its sections.
class Object {
public:
    explicit Object(const std::string& bytes) : bytes_(bytes) {
        header_ = entries<Elf64_Ehdr>(bytes, 0, 1).front();
        if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64)
            throw Bug("loops were compiled to no ELF object of 64 bits");
        sections_ = entries<Elf64_Shdr>(bytes, header_.e_shoff, header_.e_shnum);
        const auto is_table = [](const Elf64_Shdr& section) { return section.sh_type == SHT_SYMTAB; };
        const auto table = std::ranges::find_if(sections_, is_table);
        if (table == sections_.end() || table->sh_link != header_.e_shstrndx)
            throw Bug("an object of loops has no table of symbols, or names of sections elsewhere");
        symbols_at_ = static_cast<std::size_t>(table - sections_.begin());
        symbols_ = entries<Elf64_Sym>(bytes, table->sh_offset, table->sh_size / sizeof(Elf64_Sym));
        const Elf64_Shdr& names = sections_.at(header_.e_shstrndx);
        names_ = std::string(data_of(names)) + '\0';
    }

    void rename(const ObjectNames& names) {
        for (Elf64_Sym& symbol : symbols_) symbol.st_name = made_.add(new_name(symbol, names));
        for (Elf64_Shdr& section : sections_) section.sh_name = made_.add(new_name(section));
    }

    std::string bytes() {
        std::string all(sizeof header_, '\0');
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            Elf64_Shdr& section = sections_[i];
            if (section.sh_type == SHT_NULL) continue;
            const std::string_view old = section.sh_type == SHT_NOBITS ? "" : data_of(section);
            const std::size_t align = std::max<std::size_t>(section.sh_addralign, 1);
            all.resize((all.size() + align - 1) / align * align);
            section.sh_offset = all.size();
            if (i == header_.e_shstrndx) {
                section.sh_size = made_.text().size();
                all += made_.text();
            } else if (i == symbols_at_) {
                append(all, symbols_);
            } else {
                all += old;
            }
        }
        all.resize((all.size() + 7) / 8 * 8);
        header_.e_shoff = all.size();
        append(all, sections_);
        std::memcpy(all.data(), &header_, sizeof header_);
        return all;
    }

private:
    std::string_view data_of(const Elf64_Shdr& section) const {
        if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset)
            throw Bug("an object of loops ends within a section");
        return std::string_view(bytes_).substr(section.sh_offset, section.sh_size);
    }
    std::string name_at(Elf64_Word offset) const {
        if (offset >= names_.size()) throw Bug("an object of loops has a name outside of its names");
        return names_.c_str() + offset;
    }

    std::string new_name(const Elf64_Sym& symbol, const ObjectNames& names) {
        std::string name = name_at(symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF) {
            const auto known =
                std::ranges::find(names.runtime, name, &std::pair<std::string_view, std::string_view>::first);
            return known == names.runtime.end() ? name : std::string(known->second);
        }
        const int type = ELF64_ST_TYPE(symbol.st_info);
        const bool is_numbered = (type == STT_FUNC || type == STT_OBJECT) &&
                                 std::ranges::find(names.kept, name) == names.kept.end();
        if (!is_numbered) return name;
        return renamed_[name] = names.base + "_part_" + std::to_string(renamed_.size());
    }
    /// ".text.NAME" of a function that has another name now.
    std::string new_name(const Elf64_Shdr& section) const {
        const std::string name = name_at(section.sh_name);
        for (const auto& [old, made] : renamed_)
            if (name.size() > old.size() && name.ends_with("." + old))
                return name.substr(0, name.size() - old.size()) + made;
        return name;
    }

    const std::string& bytes_;
    Elf64_Ehdr header_;
    std::vector<Elf64_Shdr> sections_;
    std::vector<Elf64_Sym> symbols_;
    std::size_t symbols_at_ = 0;
    std::string names_;
    Names made_;
    std::map<std::string, std::string> renamed_;
};

}  // namespace

std::string renamed_object(const std::string& bytes, const ObjectNames& names) {
    Object object(bytes);
    object.rename(names);
    return object.bytes();
}

}  // namespace frisket::aot
