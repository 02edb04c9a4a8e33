// SPDX-License-Identifier: MIT
#include "tensor_files.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <string_view>

#include "../tensor/error.hpp"
#include "file.hpp"
#include "safetensors_header.hpp"
#include "utf8.hpp"

namespace frisket {

using namespace runtime;

namespace {

using safetensors::Entry;
using safetensors::Header;

static_assert(std::endian::native == std::endian::little, "elements go to files as they lie in memory");

/// Refuses an entry whose bytes are not those that its shape takes, right behind the last one's.
void check_place(const FileReader& file, const Entry& entry, std::uint64_t end_before) {
    const std::string array =
        entry.name + " of shape " + to_string(entry.shape) + " of " + std::string(name_of(entry.dtype));
    const std::uint64_t bytes = array_bytes(file, array, entry.dtype, entry.shape);
    if (entry.end < entry.begin || entry.end - entry.begin != bytes)
        file.refuse(array + " lies from byte " + std::to_string(entry.begin) + " to " +
                    std::to_string(entry.end) + ", wanted " + std::to_string(bytes) + " bytes");
    if (entry.begin != end_before)
        file.refuse(array + " begins at byte " + std::to_string(entry.begin) +
                    ", and what lies before it ends at " + std::to_string(end_before) +
                    ": tensors lie one behind another");
}

[[noreturn]] void refuse(const std::string& path, const std::string& sentence) {
    throw ValueError("save_safetensors: " + path + ": " + sentence);
}

void check_text(const std::string& path, const std::string& what, const std::string& text) {
    if (const std::size_t valid = valid_utf8_bytes(text); valid != text.size())
        refuse(path, what + " is not UTF-8 from its byte " + std::to_string(valid) +
                         " on, as this format's texts are: give another");
}

/// Refuses what load_safetensors would not read.
void check_texts(const std::string& path, std::span<const NamedTensor> tensors,
                 const std::map<std::string, std::string>& metadata) {
    std::set<std::string_view> names;
    for (const NamedTensor& tensor : tensors) {
        const std::string& name = tensor.name;
        check_text(path, "the name of tensor " + std::to_string(names.size()), name);
        if (name == "__metadata__")
            refuse(path, "a tensor is called " + name +
                             ", which names something else: give each a name of its own");
        if (!names.insert(name).second)
            refuse(path, "a tensor is called " + name + ", and so is another: give each a name of its own");
    }
    for (const auto& [key, value] : metadata) {
        check_text(path, "a key of the metadata", key);
        check_text(path, "the metadata's " + key, value);
    }
}

}  // namespace

Safetensors load_safetensors(const std::string& path) {
    FileReader file("load_safetensors", path, ".safetensors");
    const std::uint64_t length = little_endian(file.read(8, "the length of the header"));
    if (length > safetensors::max_header || length > file.left())
        file.refuse("its header has " + std::to_string(length) + " bytes, and the file has " +
                    std::to_string(file.left()) + " left: it is no .safetensors file, or was cut off");
    Header header = safetensors::parse_header(file.read(length, "the header"), file.where());
    std::ranges::stable_sort(header.entries, {},
                             [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
    std::uint64_t end = 0;
    for (const Entry& entry : header.entries) {
        check_place(file, entry, end);
        end = entry.end;
    }
    if (end != file.left())
        file.refuse("its tensors have " + std::to_string(end) + " bytes, and " + std::to_string(file.left()) +
                    " are there: it was cut off, or is no .safetensors file");
    Safetensors found{.tensors = {}, .metadata = std::move(header.metadata)};
    for (const Entry& entry : header.entries) {
        AnyTensor tensor(entry.dtype, entry.shape);
        file.read(tensor.data(), static_cast<std::size_t>(entry.end - entry.begin));
        if (entry.dtype == DType::boolean) check_bools(file, tensor);
        found.tensors.push_back({entry.name, std::move(tensor)});
    }
    return found;
}

void save_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata) {
    check_texts(path, tensors, metadata);
    Header header{.entries = {}, .metadata = metadata};
    std::vector<AnyTensor> wholes;
    std::uint64_t end = 0;
    for (const auto& [name, tensor] : tensors) {
        const AnyTensor& whole = wholes.emplace_back(as_written(tensor, "save_safetensors"));
        const std::uint64_t begin = end;
        end += static_cast<std::uint64_t>(whole.size()) * static_cast<std::uint64_t>(bytes_of(whole.dtype()));
        header.entries.push_back({name, whole.dtype(), whole.shape(), begin, end});
    }
    const std::string text = safetensors::format_header(header);
    const auto length = static_cast<std::uint64_t>(text.size());
    if (length > safetensors::max_header)
        refuse(path, "names and metadata make a header of " + std::to_string(length) +
                         " bytes, wanted at most " + std::to_string(safetensors::max_header) +
                         ": shorten them, or save several files");
    FileWriter file("save_safetensors", path);
    file.write(&length, sizeof length);
    file.write(text.data(), text.size());
    for (const AnyTensor& whole : wholes)
        file.write(whole.data(), static_cast<std::size_t>(whole.size()) *
                                     static_cast<std::size_t>(bytes_of(whole.dtype())));
    file.replace();
}

}  // namespace frisket
