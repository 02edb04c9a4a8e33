// SPDX-License-Identifier: MIT
#include "renamed_object.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "../../runtime/tensor/error.hpp"
#include "../disk_cache/elf_file.hpp"

namespace frisket::aot {

namespace {

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
    explicit Object(std::string_view bytes)
        : file_(bytes),
          header_(file_.header()),
          sections_(file_.sections()),
          symbols_(file_.table<Elf64_Sym>(file_.symbols())),
          names_(file_.texts(header_.e_shstrndx, "names of sections")) {
        if (sections_[file_.symbols()].sh_link != header_.e_shstrndx)
            codegen::refuse_object("names of its sections and of its symbols lie apart");
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
            const std::string_view old = section.sh_type == SHT_NOBITS ? "" : file_.bytes_of(i);
            const std::size_t align = std::max<std::size_t>(section.sh_addralign, 1);
            all.resize((all.size() + align - 1) / align * align);
            section.sh_offset = all.size();
            if (i == header_.e_shstrndx) {
                section.sh_size = made_.text().size();
                all += made_.text();
            } else if (i == file_.symbols()) {
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
    std::string name_at(Elf64_Word offset) const {
        return std::string(codegen::ElfFile::text_at(names_, offset, "names", header_.e_shstrndx));
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

    codegen::ElfFile file_;
    Elf64_Ehdr header_;
    std::vector<Elf64_Shdr> sections_;
    std::vector<Elf64_Sym> symbols_;
    std::string_view names_;
    Names made_;
    std::map<std::string, std::string> renamed_;
};

}  // namespace

std::string renamed_object(std::string_view bytes, const ObjectNames& names) try {
    Object object(bytes);
    object.rename(names);
    return object.bytes();
} catch (const IoError& error) { throw Bug(error.what()); }

}  // namespace frisket::aot
