// SPDX-License-Identifier: MIT
// Calls compiled steps, and checks their arguments first.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "argument.hpp"
#include "signature.hpp"

namespace frisket {

class CompiledKernel;

namespace kernel_calls {

class KernelModule;
struct Ready;
Ready ready_calls(const CompiledKernel& kernel, std::span<const std::vector<Argument>> calls);

}  // namespace kernel_calls

/// A step made into loops, one set per layout of its masked operands: name, signature and the checked
/// call, the same for kernels compiled just in time and ahead of time.  A handle; copies share the
/// compiled loops.
/// One that was moved from can be assigned to and destroyed; any other use is a ValueError.
/// Threads: may be called from any number of threads on different data.
class CompiledKernel {
public:
    /// A kernel of these loops; made by jit() and aot::make_kernel().
    explicit CompiledKernel(std::shared_ptr<kernel_calls::KernelModule> source);

    /// The parameters of the step, and the checks of a call.
    const Signature& signature() const;

    /// Runs the step on arguments in the order of the signature's parameters.
    /// Errors: BindingError, DTypeError, ShapeError, MaskMismatch, ValueError (null data, overlap),
    /// LayoutError, each before anything is written.
    void call(std::span<const Argument> arguments) const;

    /// Runs the step on each list of arguments, as one call for each list would, spread over all threads:
    /// many small tensors take about as long as one large one.  Tensors of one call are none of another's.
    /// Errors: as call(), before anything is written.
    void call_each(std::span<const std::vector<Argument>> calls) const;

    /// Calls the kernel with arguments by run-time names, in any order.
    /// Errors: BindingError if a name is missing, unknown or given twice.
    void operator()(std::initializer_list<NamedArgument> arguments) const;
    /// Runs the step on arguments by name, in any order.
    void operator()(std::span<const NamedArgument> arguments) const;

    /// Makes the loops for a layout (of every masked operand) now instead of at the first call.
    /// Errors: LayoutError if the kernel was compiled ahead of time without it.
    void warm_up(std::span<const Layout> layouts) const;
    /// Makes the loops for a list of layouts in braces.
    void warm_up(std::initializer_list<Layout> layouts) const;

    /// Prepares a masked tensor for many calls with an unchanged mask: results that each call would compute
    /// from the mask (bits, the list of specified elements, the order in which duplicates are summed) are
    /// computed now.  The result shares the values: write new values between calls.  A tensor with nothing to
    /// prepare (dense; values or a byte mask with gaps; blocks and groups with a mask inside) is returned as
    /// it is.  Makes the loops, as warm_up.  The mask must not change after that: a later change may or may
    /// not be seen.
    /// Errors: LayoutError as warm_up.
    AnyMasked prepare(const AnyMasked& masked) const;

private:
    kernel_calls::KernelModule& source() const;
    friend kernel_calls::Ready kernel_calls::ready_calls(const CompiledKernel& kernel,
                                                         std::span<const std::vector<Argument>> calls);

    std::shared_ptr<kernel_calls::KernelModule> source_;
};

}  // namespace frisket
