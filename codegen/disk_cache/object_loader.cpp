// SPDX-License-Identifier: MIT
#include "object_loader.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "../../runtime/tensor/error.hpp"
#include "elf_file.hpp"
#include "elf_object.hpp"

namespace frisket::codegen {

namespace {

/// Parts of an image, each on pages of its own.
enum ImagePart : std::uint8_t { code_part, constants_part, variables_part, image_parts };
constexpr std::array<int, image_parts> part_protections{PROT_READ | PROT_EXEC, PROT_READ,
                                                        PROT_READ | PROT_WRITE};

/// Bytes of a symbol's jump, among code, and of its slot, among constants, which the jump reads.
constexpr std::size_t jump_bytes = 8, slot_bytes = 8;

std::size_t rounded_up(std::size_t offset, std::size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

ImagePart image_part_of(const ElfObject::Section& section) {
    if (section.is_executable) return code_part;
    return section.is_writable ? variables_part : constants_part;
}

[[noreturn]] void fail_of_pages(const char* what) {
    throw IoError(std::string("memory of loops: ") + what + ": " + std::strerror(errno));
}

}  // namespace

/// An object, and where in the pages everything goes.
struct ObjectLayout {
    explicit ObjectLayout(ElfObject object);

    ElfObject elf;
    std::vector<std::size_t> sections;                  // offset of each that is loaded
    std::size_t jumps = 0, slots = 0;                   // offset for symbol 0; further symbols follow
    std::array<std::size_t, image_parts + 1> begins{};  // offset of each part, and the end

private:
    /// Gives the end of a part.
    std::size_t place(ImagePart part, std::size_t begin) {
        std::size_t end = begin;
        for (std::size_t i = 0; i < sections.size(); ++i) {
            const ElfObject::Section& section = elf.sections[i];
            if (!section.is_loaded || image_part_of(section) != part) continue;
            sections[i] = rounded_up(end, section.alignment);
            end = sections[i] + section.size;
        }
        if (part == variables_part) return end;
        std::size_t& own = part == code_part ? jumps : slots;
        own = rounded_up(end, slot_bytes);
        return own + elf.symbols.size() * (part == code_part ? jump_bytes : slot_bytes);
    }
};

ObjectLayout::ObjectLayout(ElfObject object) : elf(std::move(object)), sections(elf.sections.size()) {
    const auto page =
        std::max<std::size_t>(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), ElfObject::most_alignment);
    for (std::size_t part = 0; part < image_parts; ++part)
        begins[part + 1] = rounded_up(place(static_cast<ImagePart>(part), begins[part]), page);
    // Distances within it have 32 bits.
    if (begins[image_parts] > ElfObject::most_bytes)
        refuse_object("it takes " + std::to_string(begins[image_parts]) + " bytes of memory, more than " +
                      std::to_string(ElfObject::most_bytes));
}

namespace {

std::uintptr_t number_of(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); }

std::uintptr_t process_address(std::string_view name, std::span<const ProcessFunction> functions) {
    const auto found = std::ranges::find(functions, name, &ProcessFunction::name);
    if (found == functions.end())
        refuse_object("it needs the function " + std::string(name) + ", which loops are not given");
    return found->address;
}

/// An object in its pages, while they are written.
class Image {
public:
    Image(const ObjectLayout& layout, std::byte* memory) : layout_(layout), memory_(memory) {}

    void copy_sections() {
        for (std::size_t i = 0; i < layout_.sections.size(); ++i)
            if (const std::string_view bytes = layout_.elf.sections[i].bytes; !bytes.empty())
                std::memcpy(memory_ + layout_.sections[i], bytes.data(), bytes.size());
    }

    /// Finds all symbols, and fills their slots and jumps.
    void resolve(std::span<const ProcessFunction> functions) {
        addresses_.reserve(layout_.elf.symbols.size());
        for (const ElfObject::Symbol& symbol : layout_.elf.symbols) {
            const std::size_t i = addresses_.size();
            if (symbol.section != 0)
                addresses_.push_back(number_of(memory_ + layout_.sections[symbol.section]) + symbol.value);
            else
                addresses_.push_back(symbol.name.empty() ? 0 : process_address(symbol.name, functions));
            std::memcpy(slot(i), &addresses_[i], slot_bytes);
            write_jump(i);
        }
    }

    void relocate() const {
        for (const ElfObject::Relocation& relocation : layout_.elf.relocations) relocate(relocation);
    }

    /// Finds code by its name.
    std::byte* code_of(std::string_view name) const {
        for (const ElfObject::Symbol& symbol : layout_.elf.symbols) {
            const ElfObject::Section& section = layout_.elf.sections[symbol.section];
            if (symbol.name == name && symbol.section != 0 && section.is_executable &&
                symbol.value < section.size)
                return memory_ + layout_.sections[symbol.section] + symbol.value;
        }
        refuse_object("it has no code named " + std::string(name));
    }

private:
    std::byte* slot(std::size_t symbol) const { return memory_ + layout_.slots + symbol * slot_bytes; }
    std::byte* jump(std::size_t symbol) const { return memory_ + layout_.jumps + symbol * jump_bytes; }

    /// jmp *slot(%rip), and two int3.
    void write_jump(std::size_t symbol) const {
        std::array<unsigned char, jump_bytes> bytes{0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc};
        constexpr int end = 6;
        const auto distance = static_cast<std::int32_t>(slot(symbol) - (jump(symbol) + end));
        std::memcpy(bytes.data() + 2, &distance, sizeof distance);
        std::memcpy(jump(symbol), bytes.data(), jump_bytes);
    }

    std::uintptr_t target_of(const ElfObject::Relocation& relocation) const {
        const std::size_t symbol = relocation.symbol;
        if (relocation.kind->to == RelocationKind::To::slot) return number_of(slot(symbol));
        // The process may be out of reach of a call.
        if (relocation.kind->to == RelocationKind::To::jump && layout_.elf.symbols[symbol].section == 0)
            return number_of(jump(symbol));
        return addresses_[symbol];
    }

    void relocate(const ElfObject::Relocation& relocation) const {
        const RelocationKind& kind = *relocation.kind;
        std::byte* const place = memory_ + layout_.sections[relocation.section] + relocation.offset;
        const std::uint64_t value = target_of(relocation) + static_cast<std::uint64_t>(relocation.addend) -
                                    (kind.is_relative ? number_of(place) : 0);
        const auto low = static_cast<std::uint32_t>(value);
        const auto extended = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low)});
        if (kind.bytes == sizeof low && value != (kind.is_signed ? extended : low))
            refuse_object(std::string(kind.name) + " does not reach " +
                          printed(layout_.elf.symbols[relocation.symbol]) + " in its 4 bytes");
        std::memcpy(place, &value, kind.bytes);  // low bytes first
    }

    static std::string printed(const ElfObject::Symbol& symbol) {
        return symbol.name.empty() ? "section " + std::to_string(symbol.section) : std::string(symbol.name);
    }

    const ObjectLayout& layout_;
    std::byte* memory_;
    std::vector<std::uintptr_t> addresses_;  // each symbol's
};

}  // namespace

Pages::Pages(std::size_t bytes)
    : size_(bytes),
      data_(static_cast<std::byte*>(
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (data_ == MAP_FAILED) fail_of_pages("there is none");
}

Pages::~Pages() { munmap(data_, size_); }

void Pages::protect(std::size_t begin, std::size_t end, int protection) const {
    if (begin < end && mprotect(data_ + begin, end - begin, protection) != 0)
        fail_of_pages("it may not be run");
}

LoadedObject::LoadedObject(std::string_view object, std::string_view entry,
                           std::span<const ProcessFunction> functions)
    : LoadedObject(ObjectLayout(read_elf(object)), entry, functions) {}

LoadedObject::LoadedObject(const ObjectLayout& layout, std::string_view entry,
                           std::span<const ProcessFunction> functions)
    : pages_(layout.begins[image_parts]) {
    Image image(layout, pages_.data());
    image.copy_sections();
    image.resolve(functions);
    image.relocate();
    function_ = reinterpret_cast<Function>(image.code_of(entry));
    for (std::size_t part = 0; part < image_parts; ++part)
        pages_.protect(layout.begins[part], layout.begins[part + 1], part_protections[part]);
}

}  // namespace frisket::codegen
