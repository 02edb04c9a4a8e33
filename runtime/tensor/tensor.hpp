// SPDX-License-Identifier: MIT
// Defines tensors: handles of memory with a shape and strides.
#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dtype.hpp"
#include "error.hpp"
#include "memory.hpp"
#include "shape.hpp"

namespace frisket {

namespace detail {

/// Contents of a handle.
enum class Holding : std::uint8_t {
    nothing,  ///< it was default-made
    moved,    ///< nothing any more: it was moved from
    memory,   ///< the memory that it was constructed from
};

/// Shape [0] and strides [1] of a handle that holds nothing.
const Shape& empty_shape() noexcept;
const Strides& empty_strides() noexcept;

[[noreturn]] void refuse_moved_from(std::string_view where, std::string_view what);
[[noreturn]] void refuse_on_device(const void* address);

}  // namespace detail

/// A dense tensor of any dtype: a handle to shared memory with a shape and strides.  Copies share;
/// clone() copies.  A default-made one is empty: no data, shape [0].
/// One that was moved from is empty too.  It can be queried, assigned to and destroyed; whatever
/// takes a tensor refuses it with a ValueError.
class AnyTensor {
public:
    /// An empty tensor.
    AnyTensor() noexcept = default;
    /// A handle to the memory of another.
    AnyTensor(const AnyTensor&) = default;
    /// All or nothing: a handle has the shape of its memory, also where memory for a shape runs out.
    AnyTensor& operator=(const AnyTensor& other) { return *this = AnyTensor(other); }
    AnyTensor(AnyTensor&& from) noexcept
        : dtype_(from.dtype_),
          holding_(std::exchange(from.holding_, detail::Holding::moved)),
          contiguous_(std::exchange(from.contiguous_, true)),
          writable_(std::exchange(from.writable_, true)),
          data_(std::exchange(from.data_, nullptr)),
          size_(std::exchange(from.size_, 0)),
          shape_(std::move(from.shape_)),
          strides_(std::move(from.strides_)),
          owner_(std::move(from.owner_)) {}
    AnyTensor& operator=(AnyTensor&& from) noexcept;
    ~AnyTensor() = default;

    /// A new row-major tensor; its elements are zero.  Data is aligned to 64 bytes.
    /// Errors: ShapeError if an extent is negative, or if there are more than 2^57 bytes.
    AnyTensor(DType dtype, Shape shape);

    /// Memory of the user's, with an owner that keeps it alive (null: the user does).
    /// Errors: ShapeError if shape and strides differ in rank or span more than 2^57 bytes, ValueError if
    /// data is null and there are elements, or if elements are outside the address space.
    AnyTensor(DType dtype, void* data, Shape shape, Strides strides, bool writable,
              std::shared_ptr<void> owner);

    /// Element type.
    DType dtype() const noexcept { return dtype_; }
    /// Extents, outermost first.
    const Shape& shape() const noexcept {
        return holding_ == detail::Holding::memory ? shape_ : detail::empty_shape();
    }
    /// Distances in elements.
    const Strides& strides() const noexcept {
        return holding_ == detail::Holding::memory ? strides_ : detail::empty_strides();
    }
    /// Number of dimensions.
    int rank() const noexcept { return static_cast<int>(shape().size()); }
    std::int64_t size() const noexcept { return size_; }  ///< number of elements
    /// True if elements are row-major without gaps.
    bool is_contiguous() const noexcept { return contiguous_; }
    /// False of Tensor<const T> and of broadcast tensors.
    bool is_writable() const noexcept { return writable_; }
    /// Address of element [0, …, 0]; null: no elements.  Errors: TargetError if it is on a device.
    void* data() const {
        if (detail::is_device_address(data_)) detail::refuse_on_device(data_);
        return data_;
    }
    /// Internal: that address, which of a device's memory leads nowhere on the processor.
    void* address() const noexcept { return data_; }
    /// The device or processor that stores its elements.
    Device device() const noexcept;
    /// Keeper of the memory; null if the user is.
    const std::shared_ptr<void>& owner() const noexcept { return owner_; }
    /// True until the next assignment.
    bool was_moved_from() const noexcept { return holding_ == detail::Holding::moved; }
    /// Check for functions that take a tensor.  Errors: ValueError naming `where` if it was moved from.
    void check_not_moved(std::string_view where) const {
        if (was_moved_from()) detail::refuse_moved_from(where, "tensor");
    }

    /// Refused, with the expression to write instead: dsl/diagnose.hpp.
    template <SomeExpression E>
    AnyTensor(const E& expression);

    /// A row-major copy with memory of its own, on the same device.
    AnyTensor clone() const;
    /// This memory seen as another shape; one extent may be -1.  A tensor that is not contiguous is copied
    /// first.
    /// Errors: ShapeError if the element counts differ.
    AnyTensor reshape(Shape shape) const;
    /// Two dimensions exchanged, the same memory.  Negative dimensions count from the end.
    /// Errors: DimError.
    AnyTensor transpose(int dim0, int dim1) const;
    /// The elements in another dtype, in memory of their own.  Floats lose their fraction where integers are
    /// wanted; NaN and values that do not fit become the lowest integer (of uint8: the low 8 bits).  A bool
    /// is whether the element differs from 0.
    AnyTensor to(DType dtype) const;
    /// The elements, row-major, on another device or back on the processor; the same memory if they are there
    /// already.  Work that was begun on a device before is done first.
    /// Errors: ShapeError if memory runs out; TargetError if the device reports a failure.
    AnyTensor to(const Device& device) const;
    /// Elements start, start + step, … below `end` along `dim`, the same memory; Python's rules for negative
    /// bounds.
    /// Errors: DimError; ValueError if step < 1.
    AnyTensor slice(int dim, std::int64_t start, std::int64_t end, std::int64_t step = 1) const;
    /// This memory repeated to a larger shape (strides of 0); the result is read-only.
    /// Errors: ShapeError.
    AnyTensor broadcast_to(Shape shape) const;

private:
    DType dtype_ = DType::float32;
    detail::Holding holding_ = detail::Holding::nothing;
    bool contiguous_ = true;
    bool writable_ = true;
    void* data_ = nullptr;
    std::int64_t size_ = 0;
    Shape shape_;
    Strides strides_;
    std::shared_ptr<void> owner_;
};

/// A new row-major tensor on a device, whose elements hold anything; on the processor they are zero.
/// Errors: as a tensor's; ShapeError if the device's memory, or its limit, does not suffice.
AnyTensor empty(DType dtype, Shape shape, const Device& device);

namespace detail {
/// copy() where one of the tensors, which have elements, is on a device.
void copy_of_device(const AnyTensor& from, const AnyTensor& to);
}  // namespace detail

/// Copies the elements of `from` to `to`; each may have any strides, and they may share memory: `to` gets the
/// elements that `from` held before.  Between the processor and a device both are row-major without gaps.
/// Shape: equal.  Errors: ShapeError, DTypeError, ValueError if `to` is read-only; TargetError of a device.
void copy(const AnyTensor& from, const AnyTensor& to);

/// A dense tensor of T: float, double, int32_t, int64_t, uint8_t, bool, float16 or
/// bfloat16.  `Tensor<const T>` is read-only.
template <class T>
class Tensor : public AnyTensor, public Subscripts<Tensor<T>> {
public:
    /// Type of the elements, const where they are read-only.
    using Element = T;
    /// Type of the elements without const.
    using Value = std::remove_const_t<T>;

    static_assert(detail::is_element<Value>, FRISKET_SAYS_ELEMENTS);

    /// An empty tensor.
    Tensor() : AnyTensor(detail::dtype_of_element<Value>(), Shape{0}) {}
    /// A new tensor of zeros.
    explicit Tensor(Shape shape) : AnyTensor(detail::dtype_of_element<Value>(), std::move(shape)) {}
    /// A new tensor with these elements, row-major.  Errors: ShapeError if their number does not fit the
    /// shape.
    Tensor(Shape shape, const std::vector<Value>& elements);
    /// A new tensor with a list of elements in braces, row-major.  Errors: as above.
    Tensor(Shape shape, std::initializer_list<Value> elements)
        : Tensor(std::move(shape), std::vector<Value>(elements)) {}
    /// A typed handle to an untyped one.  Errors: DTypeError; ValueError if it is read-only and T is
    /// not const.
    explicit Tensor(AnyTensor tensor);
    /// Refused, with the code to write instead.
    template <class M>
        requires std::is_base_of_v<class AnyMasked, M>
    Tensor(const M& /*masked*/) {
        static_assert(!sizeof(M), "frisket: a masked value is no Tensor: write eval(to_dense(x, fill))");
    }
    /// Refused: the message asks for eval(...).
    template <SomeExpression E>
    Tensor(const E& expression);
    /// Refused: elements without a shape, with the code to write instead.
    template <class U>
        requires(!std::is_same_v<U, std::int64_t>)
    Tensor(const std::vector<U>& /*elements*/) {
        static_assert(!sizeof(U), "frisket: elements have a shape: write Tensor<float>({2, 3}, v)");
    }
    template <class N>
        requires std::is_arithmetic_v<N>
    Tensor& operator=(const N& /*number*/) {
        static_assert(!sizeof(N),
                      "frisket: a number is no tensor: write full<float>({2, 3}, 1), or p.at({i, j}) = 1");
        return *this;
    }
    template <class S>
        requires requires { S::symbol_kind; }
    ReversedBinding<S> operator=(const S& symbol);
    /// A read-only handle to the same memory.
    operator Tensor<const Value>() const
        requires(!std::is_const_v<T>);

    /// Memory of the user's, row-major or with strides in elements; `deleter` (if any) is called when the
    /// last handle goes.  Errors: as AnyTensor's.
    static Tensor view(T* data, Shape shape);
    /// Memory of the user's with strides in elements.  Errors: as AnyTensor's.
    static Tensor view(T* data, Shape shape, Strides strides, std::function<void()> deleter = {});

    /// Address of element [0, …, 0].  Errors: TargetError if it is on a device.
    T* data() const { return static_cast<T*>(AnyTensor::data()); }
    /// One element.  Errors: DimError if the number of indices is not the rank, IndexError if one is
    /// out of range, ValueError if its address does not allow a reference to T.
    T& at(std::initializer_list<std::int64_t> index) const;
    /// The only element, from the processor or a device.  Errors: ShapeError if there is another number of
    /// them.
    Value item() const;
    /// The elements, row-major, copied.
    std::vector<Value> to_vector() const;

    using AnyTensor::to;
    /// The elements as U, in memory of their own.
    template <class U>
    Tensor<U> to() const {
        return Tensor<U>(AnyTensor::to(dtype_of<U>));
    }
    /// AnyTensor::to(Device), typed.
    Tensor to(const Device& device) const { return Tensor(AnyTensor::to(device)); }
    /// A row-major copy with memory of its own, on the same device.
    Tensor clone() const { return Tensor(AnyTensor::clone()); }
    /// AnyTensor::reshape, typed.
    Tensor reshape(Shape shape) const { return Tensor(AnyTensor::reshape(std::move(shape))); }
    /// AnyTensor::transpose, typed.
    Tensor transpose(int dim0, int dim1) const { return Tensor(AnyTensor::transpose(dim0, dim1)); }
    /// AnyTensor::slice, typed.
    Tensor slice(int dim, std::int64_t start, std::int64_t end, std::int64_t step = 1) const {
        return Tensor(AnyTensor::slice(dim, start, end, step));
    }
};

/// Any elements: the constructor reports the code to write instead.
template <SomeExpression E>
Tensor(const E&) -> Tensor<float>;

/// 0, 1, … count - 1.
template <class T>
Tensor<T> arange(std::int64_t count);
/// Every element `value`.
template <class T>
Tensor<T> full(Shape shape, T value);
/// Every element `value`, on a device.  Errors: as empty's.
template <class T>
Tensor<T> full(Shape shape, T value, const Device& device) {
    return full<T>(std::move(shape), value).to(device);
}
/// Every element 0.
template <class T>
Tensor<T> zeros(Shape shape, const Device& device = {}) {
    return full<T>(std::move(shape), T(0), device);
}
/// Every element 1.
template <class T>
Tensor<T> ones(Shape shape, const Device& device = {}) {
    return full<T>(std::move(shape), T(1), device);
}
/// AnyTensor's empty, typed.
template <class T>
Tensor<T> empty(Shape shape, const Device& device = {}) {
    return Tensor<T>(empty(dtype_of<T>, std::move(shape), device));
}

/// True if dtype, shape and every element's bits are equal.
bool same(const AnyTensor& a, const AnyTensor& b);
/// True if shapes are equal and |a - b| <= atol + rtol * |b| everywhere; NaN equals NaN.
/// Errors: DTypeError if dtypes differ.
bool allclose(const AnyTensor& a, const AnyTensor& b, double rtol = 1e-5, double atol = 1e-8);

/// Limits on how much of a tensor is printed.
struct PrintOptions {
    std::int64_t threshold = 1000;  ///< larger tensors are printed as their edges only …
    std::int64_t edge_items = 3;    ///< … this many at both ends of each dimension, and `...` between
};

/// The text of a tensor: `Tensor(`, the elements indented by two, `)`; floats `%8.4f`.
std::string to_string(const AnyTensor& tensor, const PrintOptions& options = {});
/// One line on a tensor: dtype, shape, layout, number of elements, bytes; device and strides unless they are
/// the defaults.
std::string describe(const AnyTensor& tensor);
/// Writes to_string(tensor).
std::ostream& operator<<(std::ostream& out, const AnyTensor& tensor);

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

/// A namespace of its own: only its names are found by calls with a MaskedTensor.
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

/// Compressed layouts from pointers and indices in tensors, int32 or int64, which are copied; the other parts
/// are as in the functions of `Masked` with the same names.
template <class Masked, class T>
struct FromIndexTensors {
    /// CSR; errors: as with vectors; DTypeError, ShapeError of these tensors.
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
