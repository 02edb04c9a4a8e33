// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "../tensor/tensor.hpp"

/// Files of named tensors, `.safetensors`.
/// Source of the format: https://github.com/huggingface/safetensors, "Format".
namespace frisket {

/// A tensor of a file, and its name.
struct NamedTensor {
    std::string name;
    AnyTensor tensor;
};

/// The content of a file.
struct Safetensors {
    std::vector<NamedTensor> tensors;             ///< in the order in which they lie in the file
    std::map<std::string, std::string> metadata;  ///< "__metadata__": anything, as text
};

/// Errors: IoError if it cannot be read, or is not such a file from its first byte to its last: a key twice,
/// texts that are not UTF-8, bytes that belong to no tensor or to two, dtypes that are none of frisket's.
/// The content of a file.
Safetensors load_safetensors(const std::string& path);

/// Tensors of any strides, written row-major.  A file of that name is replaced as by save_npy.
/// Errors: IoError if it cannot be written, ValueError if two tensors have one name, one is __metadata__, or
/// a text is not UTF-8; what was there is then as it was.
void save_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace frisket
