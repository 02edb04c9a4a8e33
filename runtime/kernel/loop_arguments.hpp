// SPDX-License-Identifier: MIT
// Fills the arguments of a loop.
#pragma once
#include <HalideRuntime.h>

#include <span>
#include <vector>

#include "../tensor/tensor.hpp"
#include "loop_abi.hpp"

namespace frisket::kernel_calls {

/// One dimension of a buffer as a loop sees it, innermost first.
struct LoopDim {
    std::int64_t extent;
    std::int64_t stride;
};

/// Collects the arguments of a loop (loop_abi.hpp) without allocating once it has been used for a step of
/// this size.
class LoopArguments {
public:
    /// Starts anew; room for the given number of parameters, buffers of `rank` dimensions at most.
    void begin(std::size_t parameters, std::size_t rank = 4);
    void add(std::int32_t number) { add(Scalar{.i32 = number}); }
    void add(std::int64_t number) { add(Scalar{.i64 = number}); }
    void add(double number, DType dtype);  ///< int64: passes the double's bits
    /// A buffer.  Those of a device have one dimension more, whose coordinate is 1 and whose stride is the
    /// distance from the beginning of a block of memory: loops begin anywhere in it.  Results of expressions
    /// have none, and begin at the block's first element.
    void add(const LoopParameter& array, const void* data, std::span<const LoopDim> dims);
    std::span<const void*> argv() { return argv_.all(); }

private:
    union Scalar {
        std::int32_t i32;
        std::int64_t i64;
        float f32;
        double f64;
    };
    /// Memory that is made before it is filled, so that elements keep their addresses.
    template <class T>
    class Room {
    public:
        void begin(std::size_t most) {
            if (made_.size() < most) made_.resize(most);
            used_ = 0;
        }
        T* add(const T& element) {
            T* const place = take(1);
            *place = element;
            return place;
        }
        /// Places of the next elements, to be filled.
        T* take(std::size_t count) {
            T* const first = made_.data() + used_;
            used_ += count;
            return first;
        }
        std::span<T> all() { return {made_.data(), used_}; }

    private:
        std::vector<T> made_;
        std::size_t used_ = 0;
    };
    void add(Scalar scalar) { argv_.add(scalars_.add(scalar)); }
    void place_on_device(const LoopParameter& array, halide_buffer_t& buffer);

    Room<Scalar> scalars_;
    Room<halide_buffer_t> buffers_;
    Room<halide_dimension_t> dims_;
    Room<const void*> argv_;
};

/// True if a loop can address every element of a tensor: offsets in loops are 32 bits wide.
/// Shape: with elements.
bool is_in_reach(const AnyTensor& tensor);

/// The element type of a buffer.
halide_type_t type_of(const LoopParameter& array);

/// A buffer's memory and its dimensions, innermost first.
struct ArrayView {
    const void* data;
    std::span<const LoopDim> dims;
};

/// The numbers that a loop takes.
struct LoopNumbers {
    std::int64_t elements = 0;                  ///< LoopRole::element_count
    const double* host = nullptr;               ///< LoopRole::number
    std::int64_t first = 0;                     ///< LoopRole::first_position
    std::span<const std::int32_t> others = {};  ///< LoopRole::position_step, LoopRole::size
};

/// Packs the arguments of a loop.  `view` returns an ArrayView for a parameter that is a buffer; its
/// dimensions are copied before it is asked for the next.
template <class View>
std::span<const void*> pack(const LoopAbi& abi, const LoopNumbers& numbers, LoopArguments& loop,
                            const View& view, std::size_t rank = 4) {
    loop.begin(abi.size(), rank);
    for (const LoopParameter& parameter : abi) {
        const auto index = static_cast<std::size_t>(parameter.index);
        switch (parameter.role) {
            case LoopRole::element_count: loop.add(static_cast<std::int32_t>(numbers.elements)); break;
            case LoopRole::number: loop.add(numbers.host[index], parameter.dtype); break;
            case LoopRole::first_position: loop.add(numbers.first); break;
            case LoopRole::position_step:
            case LoopRole::size: loop.add(numbers.others[index]); break;
            default: {
                const ArrayView array = view(parameter);
                loop.add(parameter, array.data, array.dims);
            }
        }
    }
    return loop.argv();
}

}  // namespace frisket::kernel_calls
