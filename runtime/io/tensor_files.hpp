// SPDX-License-Identifier: MIT
// Reads and writes files of NumPy and safetensors.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../tensor/tensor.hpp"

/// NumPy's files of one array, `.npy`.  A masked tensor is two of them:
///
///     save_npy("values.npy", m.to_dense(0));
///     save_npy("mask.npy", m.mask_tensor());
///     auto m = masked(load_npy<float>("values.npy"), load_npy<bool>("mask.npy"));
namespace frisket {

/// The array of a file of format 1.0, 2.0 or 3.0, little-endian, of one of frisket's dtypes.  An array in
/// Fortran's order keeps it, as strides.
/// Cost:   one pass from the file into memory aligned to 64 bytes.
/// Errors: IoError if it cannot be read, or is not such a file from its first byte to its last.
AnyTensor load_npy(const std::string& path);
/// Loads an array of a wanted dtype, like load_npy(path).  Errors: also DTypeError if the array has another
/// dtype; no elements are read then.
AnyTensor load_npy(const std::string& path, DType wanted);
/// A file as a tensor of T. Errors: as above.
template <class T>
Tensor<T> load_npy(const std::string& path) {
    return Tensor<T>(load_npy(path, dtype_of<T>));
}

/// Writes a file of format 1.0, in C order whatever the tensor's strides.  A file of that name, or the target
/// of a link, is replaced when the new one is whole, and on the disk, and keeps its rights.
/// Errors: IoError if it cannot be written, DTypeError of bfloat16, which NumPy does not have; the old file
/// is then unchanged, unless the disk failed in its very last step: then it may be the new file.
/// Threads: any number, also to one path: the last one stays.
void save_npy(const std::string& path, const AnyTensor& tensor);

}  // namespace frisket

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
    std::vector<NamedTensor> tensors;             ///< in their order in the file
    std::map<std::string, std::string> metadata;  ///< "__metadata__": anything, as text
};

/// Errors: IoError if it cannot be read, or is not such a file from its first byte to its last: a key twice,
/// texts that are not UTF-8, bytes that belong to no tensor or to two.
/// IoError that names the tensor if frisket lacks its dtype, F8_E4M3 for instance.
/// The content of a file.
Safetensors load_safetensors(const std::string& path);
/// One tensor of a file; the dtypes of other tensors do not matter.
/// Cost:   the header and the bytes of the tensor.
/// Errors: as above; IoError if no tensor has that name.
AnyTensor load_safetensors(const std::string& path, std::string_view name);

/// Tensors of any strides, written row-major.  A file of that name is replaced as by save_npy.
/// Errors: IoError if it cannot be written, ValueError if two tensors have one name, one is __metadata__, or
/// a text is not UTF-8; the old file is then unchanged.
void save_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace frisket
