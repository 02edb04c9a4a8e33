// SPDX-License-Identifier: MIT
#include "tensor_files.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "../support/joined.hpp"
#include "../tensor/error.hpp"
#include "file.hpp"
#include "safetensors_reader.hpp"
#include "utf8.hpp"

namespace frisket {

using namespace runtime;

namespace {

using safetensors::Header;

[[noreturn]] void refuse(const std::string& path, const std::string& sentence) {
    throw ValueError("save_safetensors: " + path + ": " + sentence);
}

void check_text(const std::string& path, const std::string& what, const std::string& text) {
    if (const std::size_t valid = valid_utf8_bytes(text); valid != text.size())
        refuse(path, what + " is not UTF-8 from its byte " + std::to_string(valid) +
                         " on, as this format's texts are: give another");
}

/// Refuses tensors that load_safetensors would not read.
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
    SafetensorsReader file(path);
    for (const safetensors::Entry& entry : file.entries()) file.check_dtype(entry);
    Safetensors found{.tensors = {}, .metadata = file.metadata()};
    for (const safetensors::Entry& entry : file.entries())
        found.tensors.push_back({entry.name, file.read(entry)});
    return found;
}

AnyTensor load_safetensors(const std::string& path, std::string_view name) {
    SafetensorsReader file(path);
    const safetensors::Entry* const found = file.find(name);
    if (found != nullptr) return file.read(*found);
    constexpr std::size_t shown = 20;
    const std::size_t count = file.entries().size();
    file.refuse("it has no tensor " + std::string(name) + ", it has " + std::to_string(count) + ": " +
                joined(file.entries().first(std::min(count, shown)), &safetensors::Entry::name) +
                (count > shown ? ", …" : ""));
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
