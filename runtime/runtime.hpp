// SPDX-License-Identifier: MIT
#pragma once
#include "argument.hpp"
#include "compiled_kernel.hpp"
#include "dtype.hpp"
#include "error.hpp"
#include "index_list.hpp"
#include "interop/npy.hpp"
#include "interop/safetensors.hpp"
#include "masked_tensor.hpp"
#include "shape.hpp"
#include "signature.hpp"
#include "tensor.hpp"
