// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>

#include "c_api.h"
#include "compiled_kernel.hpp"

/// What the C functions made by frisket_add_kernels call.
namespace frisket::aot {

/// One argument of a C function, as it came.
struct CArgument {
    /// A tensor.
    CArgument(const frisket_tensor* given) : kind(Kind::tensor), tensor(given) {}
    /// A masked tensor.
    CArgument(const frisket_masked* given) : kind(Kind::masked), masked(given) {}
    /// A number.
    CArgument(double given) : kind(Kind::real), real(given) {}
    /// A whole number.
    CArgument(std::int64_t given) : kind(Kind::integer), integer(given) {}
    /// A number that the step updates.
    CArgument(double* given) : kind(Kind::state), state(given) {}

    /// Kinds of argument.
    enum class Kind : std::uint8_t { tensor, masked, real, integer, state } kind;
    union {
        const frisket_tensor* tensor;
        const frisket_masked* masked;
        double real;
        std::int64_t integer;
        double* state;
    };
};

/// Calls a kernel with arguments in the signature's order.  Gives 0, or the code of an error whose text is
/// then frisket_last_error().  `kernel` is called first, so that what it throws is reported too.
int call_from_c(const CompiledKernel& (*kernel)(), std::initializer_list<CArgument> arguments) noexcept;

}  // namespace frisket::aot
