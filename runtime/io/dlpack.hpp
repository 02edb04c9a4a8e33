// SPDX-License-Identifier: MIT
// Exchanges tensors with other libraries without a copy, by DLPack.
#pragma once
#include "../tensor/tensor.hpp"

// The structs of DLPack 1.x and of before.  Who hands them on needs no more than these two lines; who looks
// into one includes <dlpack/dlpack.h> as well.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/// Tensors that go to other libraries and come from them, without a copy.
namespace frisket {

/// The memory of another library's tensor, read-only if its flags say so.  Its deleter is called once, when
/// the last handle goes, by the thread that lets go of it.
/// Shape:  as given, strides too; strides that are null mean row-major.
/// Device: the CPU's, or number 0 of OpenCL (its data is a cl_mem, of the context whose memory `to_dlpack`
/// exports) or CUDA (a device pointer); the tensor then lives on device("opencl") or device("cuda").  Work
/// that was begun there is done before the deleter is called.
/// Errors: ValueError (a null pointer, another major version, data that is not aligned to its elements or
/// leaves its memory), TargetError (another device), DTypeError, ShapeError.  The caller then still owns the
/// struct, and calls its deleter.
AnyTensor from_dlpack(DLManagedTensorVersioned* managed);
/// A tensor over the memory of a struct of DLPack before 1.0, which has no read-only flag: it may be written.
AnyTensor from_dlpack(DLManagedTensor* managed);

/// A struct that shares the tensor's memory and keeps it alive until its deleter is called, by whoever takes
/// it, from any thread.  It is flagged if the tensor is read-only.  For a tensor on a device, waits for work
/// that was begun there.
/// Errors: TargetError for a device whose memory DLPack cannot describe.
[[nodiscard("its deleter must be called")]] DLManagedTensorVersioned* to_dlpack(const AnyTensor& tensor);
/// A struct as to_dlpack() returns, for libraries that do not know DLPack 1.x.
/// Errors: ValueError if the tensor is read-only, which this struct cannot say.
[[nodiscard("its deleter must be called")]] DLManagedTensor* to_dlpack_legacy(const AnyTensor& tensor);

/// A tensor of another library: its memory, and its own lists of extents and strides.
struct DLPackView {
    void* data = nullptr;  ///< address of element [0, …, 0]
    DType dtype = DType::float32;
    int rank = 0;
    const std::int64_t* shape = nullptr;
    const std::int64_t* strides = nullptr;  ///< null: row-major
};

/// The tensor of a struct of DLPack's, a DLTensor*, which stays its owner's.
/// Errors: as from_dlpack.
DLPackView view_dlpack(const void* dl_tensor);

}  // namespace frisket
