// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensor.hpp"

namespace frisket {

struct Blocksize;

/// Elements as users give them: a list, a vector or a tensor; `{}`: not given.
template <class T>
class Elements {
public:
    /// Nothing given.
    Elements() = default;
    /// A list in braces.
    Elements(std::initializer_list<T> elements) : Elements(std::vector<T>(elements)) {}
    /// A vector.
    Elements(const std::vector<T>& elements)
        : given_(Tensor<T>({static_cast<std::int64_t>(elements.size())}, elements)) {}
    /// A tensor, which is shared.  Errors: ValueError if it was moved from.
    Elements(const Tensor<T>& elements) : given_(elements) { given_->check_not_moved("elements"); }
    /// A read-only tensor, which is shared.  Errors: ValueError if it was moved from.
    Elements(const Tensor<const T>& elements) : given_(elements) { given_->check_not_moved("elements"); }

    /// The tensor, or nothing.
    const std::optional<AnyTensor>& given() const { return given_; }
    /// The tensor, empty if nothing was given.
    AnyTensor tensor() const { return given_ ? *given_ : Tensor<T>(); }

private:
    std::optional<AnyTensor> given_;
};

/// A namespace of its own: names of it alone are found by calls with a MaskedTensor.
namespace detail::index_tensors {

/// Elements of a tensor of int32 or int64, on any device.  Errors: DTypeError, ShapeError.
inline std::vector<std::int64_t> whole_numbers(const char* layout, const AnyTensor& tensor) {
    tensor.check_not_moved(layout);
    const std::string where = std::string(layout) + ": pointers and indices ";
    if (tensor.dtype() != DType::int32 && tensor.dtype() != DType::int64)
        throw DTypeError(where + "are " + std::string(name_of(tensor.dtype())) +
                         ", wanted int32 or int64: write .to<std::int64_t>()");
    if (tensor.rank() != 1)
        throw ShapeError(where + "have shape " + to_string(tensor.shape()) + ", wanted one dimension");
    return Tensor<const std::int64_t>(tensor.to(Device()).to(DType::int64)).to_vector();
}

/// Compressed layouts from pointers and indices in tensors, int32 or int64, which are copied; the other
/// parts are those of the functions of `Masked` with the same names.
template <class Masked, class T>
struct FromIndexTensors {
    /// CSR; errors: those of vectors; DTypeError, ShapeError of these tensors.
    template <std::derived_from<AnyTensor> Pointers, std::derived_from<AnyTensor> Indices>
    static auto csr(Shape shape, const Pointers& row_pointers, const Indices& columns,
                    const Elements<T>& values, const Elements<bool>& values_mask = {}) {
        return Masked::csr(std::move(shape), whole_numbers("csr", row_pointers),
                           whole_numbers("csr", columns), values, values_mask);
    }
    /// CSC; errors: as csr.
    template <std::derived_from<AnyTensor> Pointers, std::derived_from<AnyTensor> Indices>
    static auto csc(Shape shape, const Pointers& column_pointers, const Indices& rows,
                    const Elements<T>& values, const Elements<bool>& values_mask = {}) {
        return Masked::csc(std::move(shape), whole_numbers("csc", column_pointers),
                           whole_numbers("csc", rows), values, values_mask);
    }
    /// BSR; errors: as csr.
    template <std::derived_from<AnyTensor> Pointers, std::derived_from<AnyTensor> Indices>
    static auto bsr(Shape shape, const Blocksize& blocksize, const Pointers& row_pointers,
                    const Indices& columns, const Elements<T>& values,
                    const Elements<bool>& values_mask = {}) {
        return Masked::bsr(std::move(shape), blocksize, whole_numbers("bsr", row_pointers),
                           whole_numbers("bsr", columns), values, values_mask);
    }
    /// BSC; errors: as csr.
    template <std::derived_from<AnyTensor> Pointers, std::derived_from<AnyTensor> Indices>
    static auto bsc(Shape shape, const Blocksize& blocksize, const Pointers& column_pointers,
                    const Indices& rows, const Elements<T>& values, const Elements<bool>& values_mask = {}) {
        return Masked::bsc(std::move(shape), blocksize, whole_numbers("bsc", column_pointers),
                           whole_numbers("bsc", rows), values, values_mask);
    }
};

}  // namespace detail::index_tensors

}  // namespace frisket
