// SPDX-License-Identifier: MIT
#include "elements.hpp"
#include "runs.hpp"
#include "tensor.hpp"

/// Tensor<T> and its factories, for the element types of the table of dtypes.
namespace frisket {

using namespace runtime;

namespace {

/// A handle that may be written only if T is not const.
template <class T>
AnyTensor checked(AnyTensor tensor) {
    tensor.check_not_moved("tensor");
    if (tensor.dtype() != dtype_of<T>)
        throw DTypeError("tensor: it has dtype " + std::string(name_of(tensor.dtype())) +
                         ", the handle is for " + std::string(name_of(dtype_of<T>)) +
                         ": use a handle of its dtype, or convert it");
    if (!std::is_const_v<T> && !tensor.is_writable())
        throw ValueError("tensor: it is read-only, the handle writes: use Tensor<const T>, or clone() it");
    if (!std::is_const_v<T> || !tensor.is_writable()) return tensor;
    return {tensor.dtype(), tensor.address(), tensor.shape(), tensor.strides(), false, tensor.owner()};
}

template <class T>
AnyTensor filled(Shape shape, const std::vector<T>& elements) {
    AnyTensor tensor(dtype_of<T>, std::move(shape));
    if (static_cast<std::int64_t>(elements.size()) != tensor.size())
        throw ShapeError("tensor: " + std::to_string(elements.size()) + " elements for shape " +
                         to_string(tensor.shape()) + ", which has " + std::to_string(tensor.size()) +
                         ": give one for each element");
    T* data = static_cast<T*>(tensor.data());
    for (std::size_t i = 0; i < elements.size(); ++i) data[i] = elements[i];
    return tensor;
}

/// Calls a function when the last handle goes.
std::shared_ptr<void> owner_with(std::function<void()> deleter) {
    if (!deleter) return nullptr;
    return {nullptr, [deleter = std::move(deleter)](void*) { deleter(); }};
}

}  // namespace

template <class T>
Tensor<T>::Tensor(Shape shape, const std::vector<Value>& elements)
    : AnyTensor(checked<T>(filled<Value>(std::move(shape), elements))) {}

template <class T>
Tensor<T>::Tensor(AnyTensor tensor) : AnyTensor(checked<T>(std::move(tensor))) {}

template <class T>
Tensor<T>::operator Tensor<const Value>() const
    requires(!std::is_const_v<T>)
{
    return Tensor<const Value>(static_cast<const AnyTensor&>(*this));
}

template <class T>
Tensor<T> Tensor<T>::view(T* data, Shape shape) {
    Strides strides = contiguous_strides(shape);
    return view(data, std::move(shape), std::move(strides));
}

template <class T>
Tensor<T> Tensor<T>::view(T* data, Shape shape, Strides strides, std::function<void()> deleter) {
    // The owner comes first: the deleter is called even if the view is refused.
    std::shared_ptr<void> owner = owner_with(std::move(deleter));
    return Tensor(AnyTensor(dtype_of<T>, const_cast<Value*>(data), std::move(shape), std::move(strides),
                            !std::is_const_v<T>, std::move(owner)));
}

template <class T>
T& Tensor<T>::at(std::initializer_list<std::int64_t> index) const {
    check_not_moved("at");
    if (static_cast<int>(index.size()) != rank())
        throw DimError("at: " + std::to_string(index.size()) + " indices for a tensor of rank " +
                       std::to_string(rank()) + ": give one for each dimension");
    std::int64_t offset = 0;
    int d = 0;
    for (const std::int64_t i : index) {
        if (i < 0 || i >= shape()[d])
            throw IndexError("at: index " + std::to_string(i) + " in dimension " + std::to_string(d) +
                             " is out of range for extent " + std::to_string(shape()[d]));
        offset += i * strides()[d++];
    }
    const auto address = reinterpret_cast<std::uintptr_t>(AnyTensor::data()) + offset * sizeof(T);
    if (address % alignof(T) != 0)
        throw ValueError("at: the element lies at a multiple of " + std::to_string(address & (~address + 1)) +
                         " bytes, a reference to " + std::string(name_of(dtype())) + " wants one of " +
                         std::to_string(alignof(T)) + ": use to_vector(), or at() of a clone()");
    return data()[offset];
}

template <class T>
std::vector<std::remove_const_t<T>> Tensor<T>::to_vector() const {
    check_not_moved("to_vector");
    const Reader<Value> data(AnyTensor::data());
    std::vector<Value> elements;
    elements.reserve(static_cast<std::size_t>(size()));
    for_each_run<1>(shape(), {strides()}, [&](const Run<1>& run) {
        for (std::int64_t i = 0; i < run.count; ++i)
            elements.push_back(data[run.offset[0] + i * run.step[0]]);
    });
    return elements;
}

template <class T>
std::remove_const_t<T> Tensor<T>::item() const {
    check_not_moved("item");
    if (size() != 1)
        throw ShapeError("item: shape " + to_string(shape()) + " has " + std::to_string(size()) +
                         " elements, an item is one: use at(index), or reduce it first");
    return to(Device()).to_vector()[0];
}

template <class T>
Tensor<T> arange(std::int64_t count) {
    Tensor<T> tensor(Shape{count});
    for (std::int64_t i = 0; i < count; ++i) tensor.data()[i] = static_cast<T>(i);
    return tensor;
}

template <class T>
Tensor<T> full(Shape shape, T value) {
    Tensor<T> tensor(std::move(shape));
    std::fill_n(tensor.data(), tensor.size(), value);
    return tensor;
}

template class Tensor<bool>;
template class Tensor<std::uint8_t>;
template class Tensor<std::int32_t>;
template class Tensor<std::int64_t>;
template class Tensor<float>;
template class Tensor<double>;
template class Tensor<bfloat16>;
template class Tensor<float16>;
template class Tensor<const bool>;
template class Tensor<const std::uint8_t>;
template class Tensor<const std::int32_t>;
template class Tensor<const std::int64_t>;
template class Tensor<const float>;
template class Tensor<const double>;
template class Tensor<const bfloat16>;
template class Tensor<const float16>;

template Tensor<bool> arange(std::int64_t);
template Tensor<std::uint8_t> arange(std::int64_t);
template Tensor<std::int32_t> arange(std::int64_t);
template Tensor<std::int64_t> arange(std::int64_t);
template Tensor<float> arange(std::int64_t);
template Tensor<double> arange(std::int64_t);
template Tensor<bfloat16> arange(std::int64_t);
template Tensor<float16> arange(std::int64_t);

template Tensor<bool> full(Shape, bool);
template Tensor<std::uint8_t> full(Shape, std::uint8_t);
template Tensor<std::int32_t> full(Shape, std::int32_t);
template Tensor<std::int64_t> full(Shape, std::int64_t);
template Tensor<float> full(Shape, float);
template Tensor<double> full(Shape, double);
template Tensor<bfloat16> full(Shape, bfloat16);
template Tensor<float16> full(Shape, float16);

}  // namespace frisket
