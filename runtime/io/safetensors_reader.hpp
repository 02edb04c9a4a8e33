// SPDX-License-Identifier: MIT
// Reads tensors, or rows of them, from .safetensors files.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "file.hpp"
#include "safetensors_header.hpp"

namespace frisket::runtime {

/// A .safetensors file of which some tensors are read, or some rows of them.
class SafetensorsReader {
public:
    /// Reads the header.
    /// Errors: IoError as load_safetensors, except for bytes of bool and for dtypes that frisket lacks.
    explicit SafetensorsReader(const std::string& path);

    /// Errors: IoError that names the file.
    [[noreturn]] void refuse(const std::string& sentence) const { file_.refuse(sentence); }

    /// Tensors, in their order in the file.
    std::span<const safetensors::Entry> entries() const { return header_.entries; }
    /// Texts stored with the tensors.
    const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
    /// The tensor of a name; null if the name is missing.
    const safetensors::Entry* find(std::string_view name) const;

    /// Errors: IoError if frisket lacks the dtype of the tensor.
    void check_dtype(const safetensors::Entry& entry) const;
    /// Reads a tensor.  Errors: IoError.
    AnyTensor read(const safetensors::Entry& entry);
    /// Reads `count` rows, of all that is under one index of the first dimension, from row `first` on.
    /// Errors: IoError.
    void read_rows(const safetensors::Entry& entry, std::int64_t first, std::int64_t count, void* to);

private:
    FileReader file_;
    safetensors::Header header_;
    std::uint64_t begin_ = 0;  // first byte behind the header
};

}  // namespace frisket::runtime
