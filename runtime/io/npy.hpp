// SPDX-License-Identifier: MIT
#pragma once
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

/// Writes a file of format 1.0, in C order whatever the tensor's strides.  A file of that name, or one that a
/// link stands for, is replaced when the new one is whole, and on the disk, and keeps its rights.
/// Errors: IoError if it cannot be written, DTypeError of bfloat16, which NumPy does not have; what was there
/// is then as it was, unless the disk failed in its very last step: then it may be the new file.
/// Threads: any number, also to one path: the last one stays.
void save_npy(const std::string& path, const AnyTensor& tensor);

}  // namespace frisket
