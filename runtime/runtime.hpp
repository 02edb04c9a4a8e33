// SPDX-License-Identifier: MIT
// Collects the headers of the runtime: tensors, masked tensors, files and ready kernels.
#pragma once
#include "io/tensor_files.hpp"
#include "kernel/argument.hpp"
#include "kernel/compiled_kernel.hpp"
#include "kernel/signature.hpp"
#include "tensor/dtype.hpp"
#include "tensor/error.hpp"
#include "tensor/index_list.hpp"
#include "tensor/masked_tensor.hpp"
#include "tensor/memory.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"
