// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/tensor.hpp"

#include <cmath>

#include "../../support/matchers.hpp"

namespace tensors_test {

using namespace frisket;
using namespace frisket::testing;

using Floats = std::vector<float>;

TEST_CASE("a new tensor is zero, row-major and aligned") {
    const Tensor<float> tensor(Shape{3, 5});
    CHECK(tensor.to_vector() == Floats(15, 0.F));
    CHECK(tensor.is_contiguous());
    CHECK(tensor.is_writable());
    CHECK(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64 == 0);
    CHECK(Tensor<double>().size() == 0);
    CHECK(AnyTensor().shape() == Shape{0});
    CHECK(Tensor<float>(Shape{}).size() == 1);
}

TEST_CASE("copies of a tensor share memory and a clone does not") {
    const Tensor<float> tensor = arange<float>(4);
    const Tensor<float> shared = tensor;
    const Tensor<float> apart = tensor.clone();
    tensor.at({1}) = 9;
    CHECK(shared.at({1}) == 9);
    CHECK(apart.at({1}) == 1);
}

TEST_CASE("a tensor takes as many elements as its shape has") {
    CHECK(Tensor<float>({2, 2}, {1, 2, 3, 4}).at({1, 0}) == 3);
    CHECK(Tensor<bool>({3}, {true, false, true}).to_vector() == std::vector<bool>{true, false, true});
    CHECK_THROWS_MATCHES(Tensor<float>({2, 2}, {1, 2, 3}), ShapeError,
                         Says("tensor: 3 elements for shape [2, 2], which has 4: give one for each element"));
}

TEST_CASE("an element is found by one index for each dimension") {
    const Tensor<float> tensor = arange<float>(6).reshape({2, 3});
    CHECK(tensor.at({1, 2}) == 5);
    CHECK(full<float>({}, 3).at({}) == 3);
    CHECK_THROWS_MATCHES(tensor.at({1}), DimError,
                         Says("at: 1 indices for a tensor of rank 2: give one for each dimension"));
    CHECK_THROWS_MATCHES(tensor.at({1, 3}), IndexError,
                         Says("at: index 3 in dimension 1 is out of range for extent 3"));
    CHECK_THROWS_MATCHES(tensor.at({-1, 0}), IndexError,
                         Says("at: index -1 in dimension 0 is out of range for extent 2"));
}

TEST_CASE("views of a tensor share its memory") {
    const Tensor<float> tensor = arange<float>(6).reshape({2, -1});
    CHECK(tensor.transpose(0, -1).to_vector() == Floats{0, 3, 1, 4, 2, 5});
    CHECK(tensor.slice(1, 0, 3, 2).to_vector() == Floats{0, 2, 3, 5});
    CHECK(tensor.slice(1, -2, 100).to_vector() == Floats{1, 2, 4, 5});
    CHECK(tensor.slice(0, 1, 1).shape() == Shape{0, 3});
    CHECK(tensor.slice(0, 5, 9).size() == 0);
    CHECK(tensor.transpose(0, 1).slice(0, 1, 3).to_vector() == Floats{1, 4, 2, 5});
    tensor.transpose(0, 1).at({2, 0}) = 7;
    CHECK(tensor.at({0, 2}) == 7);
    CHECK(tensor.reshape({6}).data() == tensor.data());
}

TEST_CASE("a tensor with gaps is copied when it is reshaped") {
    const Tensor<float> transposed = arange<float>(6).reshape({2, 3}).transpose(0, 1);
    const Tensor<float> flat = transposed.reshape({6});
    CHECK(flat.to_vector() == Floats{0, 3, 1, 4, 2, 5});
    flat.at({0}) = 9;
    CHECK(transposed.at({0, 0}) == 0);
}

TEST_CASE("wrong views are refused with a sentence") {
    const Tensor<float> tensor = arange<float>(6).reshape({2, 3});
    CHECK_THROWS_MATCHES(
        tensor.reshape({4}), ShapeError,
        Says("reshape: shape [2, 3] to [4]: 6 elements do not make 4, both must have the same number"));
    CHECK_THROWS_MATCHES(tensor.reshape({-1, 4}), ShapeError,
                         Says("reshape: shape [2, 3] to [-1, 4]: 6 elements do not divide by 4"));
    CHECK_THROWS_MATCHES(tensor.reshape({-1, -1}), ShapeError,
                         Says("reshape: shape [2, 3] to [-1, -1]: only one extent may be -1"));
    CHECK_THROWS_MATCHES(
        Tensor<float>(Shape{0}).reshape({-1, 0}), ShapeError,
        Says("reshape: shape [0] to [-1, 0]: -1 stands for any extent when another is 0, write it out"));
    CHECK_THROWS_MATCHES(tensor.transpose(0, 2), DimError,
                         Says("transpose: dimension 2 is out of range for a tensor of rank 2: use -2 to 1"));
    CHECK_THROWS_MATCHES(
        full<float>({}, 1).slice(0, 0, 1), DimError,
        Says("slice: dimension 0 is out of range for a tensor of rank 0: it has no dimensions"));
    CHECK_THROWS_MATCHES(tensor.slice(0, 0, 2, 0), ValueError,
                         Says("slice: step 0 is below 1: steps go forward"));
    CHECK_THROWS_MATCHES(
        tensor.broadcast_to({2, 4}), ShapeError,
        Says("broadcast_to: shape [2, 3] does not broadcast to [2, 4]: aligned at the right, "
             "extents are equal or 1"));
}

TEST_CASE("a broadcast tensor is read-only and repeats its elements") {
    const AnyTensor rows = arange<float>(3).broadcast_to({2, 3});
    CHECK(Tensor<const float>(rows).to_vector() == Floats{0, 1, 2, 0, 1, 2});
    CHECK_FALSE(rows.is_writable());
    CHECK_THROWS_MATCHES(
        Tensor<float>(rows), ValueError,
        Says("tensor: it is read-only, the handle writes: use Tensor<const T>, or clone() it"));
    CHECK(Tensor<float>(rows.clone()).to_vector() == Floats{0, 1, 2, 0, 1, 2});
}

TEST_CASE("a handle is of the tensor's dtype") {
    const AnyTensor any = arange<float>(3);
    CHECK_THROWS_MATCHES(
        Tensor<double>(any), DTypeError,
        Says("tensor: it has dtype float32, the handle is for float64: use a handle of its dtype, or "
             "convert it"));
    const Tensor<const float> constant = arange<float>(3);
    CHECK_FALSE(constant.is_writable());
    CHECK_FALSE(constant.reshape({3, 1}).is_writable());
}

TEST_CASE("memory of the user's is seen with any strides and given back once") {
    float memory[] = {0, 1, 2, 3, 4, 5};
    CHECK(Tensor<float>::view(memory, {2, 3}).at({1, 1}) == 4);
    CHECK(Tensor<float>::view(memory + 5, {6}, {-1}).to_vector() == Floats{5, 4, 3, 2, 1, 0});
    CHECK(Tensor<float>::view(memory, {2, 2}, {0, 1}).to_vector() == Floats{0, 1, 0, 1});
    CHECK(Tensor<const float>::view(memory, {6}).slice(0, 4, 6).to_vector() == Floats{4, 5});
    int calls = 0;
    {
        const auto view = Tensor<float>::view(memory, {6}, {1}, [&calls] { ++calls; });
        const auto kept = view.slice(0, 0, 2);
        CHECK(calls == 0);
    }
    CHECK(calls == 1);
}

TEST_CASE("a view that cannot be is refused and its memory is given back") {
    float memory[] = {0};
    int calls = 0;
    CHECK_THROWS_MATCHES(
        Tensor<float>::view(memory, {1, 1}, {1}, [&calls] { ++calls; }), ShapeError,
        Says("view: shape [1, 1] has 2 dimensions, strides [1] have 1: give one stride for each dimension"));
    CHECK(calls == 1);
    CHECK_THROWS_MATCHES(
        Tensor<float>::view(nullptr, {2, 3}), ValueError,
        Says("view: the data is a null pointer, shape [2, 3] has 6 elements: give it memory"));
    CHECK(Tensor<float>::view(nullptr, {0, 3}).size() == 0);
}

TEST_CASE("copying keeps every bit and touches nothing else") {
    const Guarded<float> from(random_tensor({7, 9}), {.misalignment = 4});
    const std::uint32_t signalling = poison_bits<float>(Poison::signalling);
    std::memcpy(&from.tensor().at({3, 3}), &signalling, sizeof signalling);
    const Guarded<float> to(Shape{9, 7}, {.at_page_end = true});
    copy(from.tensor().transpose(0, 1), to.tensor());
    CHECK_THAT(to.tensor().transpose(0, 1), HasTheBytesOf(from.tensor()));
    CHECK(to.is_intact());
    CHECK(from.is_intact());
}

TEST_CASE("copying to what does not fit is refused") {
    CHECK_THROWS_MATCHES(copy(arange<float>(3), arange<float>(4)), ShapeError,
                         Says("copy: from shape [3] to [4]: both must have the same shape"));
    CHECK_THROWS_MATCHES(copy(arange<float>(3), arange<double>(3)), DTypeError,
                         Says("copy: from float32 to float64: both must have the same dtype"));
    CHECK_THROWS_MATCHES(copy(arange<float>(3), Tensor<const float>(arange<float>(3))), ValueError,
                         Says("copy: the tensor to write is read-only: give one that can be written"));
}

TEST_CASE("same compares bits and allclose compares numbers") {
    const Tensor<float> nan({2}, {std::nanf("1"), 1});
    CHECK(same(nan, nan.clone()));
    CHECK_FALSE(same(Tensor<float>({1}, {0.F}), Tensor<float>({1}, {-0.F})));
    CHECK_FALSE(same(arange<float>(3), arange<double>(3)));
    CHECK_FALSE(same(arange<float>(3), arange<float>(3).reshape({3, 1})));
    CHECK(same(arange<float>(6).reshape({2, 3}).transpose(0, 1), Tensor<float>({3, 2}, {0, 3, 1, 4, 2, 5})));
    CHECK(allclose(Tensor<float>({1}, {0.F}), Tensor<float>({1}, {-0.F})));
    CHECK(allclose(nan, nan));
    CHECK_FALSE(allclose(nan, full<float>({2}, 1.F)));
    CHECK_FALSE(allclose(full<float>({2}, 1.F), nan));
    CHECK(allclose(full<float>({2}, 1.F), full<float>({2}, 1.000001F)));
    CHECK_FALSE(allclose(full<float>({2}, 1.F), full<float>({2}, 1.001F)));
    CHECK_FALSE(allclose(full<double>({1}, INFINITY), full<double>({1}, -INFINITY)));
    CHECK(allclose(full<double>({1}, INFINITY), full<double>({1}, INFINITY)));
    CHECK_THROWS_MATCHES(allclose(arange<float>(3), arange<double>(3)), DTypeError,
                         Says("allclose: float32 and float64: both must have the same dtype"));
}

TEST_CASE("tensors of one value and of counting numbers come in every dtype") {
    CHECK(arange<std::int64_t>(3).to_vector() == std::vector<std::int64_t>{0, 1, 2});
    CHECK(zeros<double>({2}).to_vector() == std::vector<double>{0, 0});
    CHECK(ones<std::uint8_t>({2}).to_vector() == std::vector<std::uint8_t>{1, 1});
    CHECK(full<bool>({2}, true).to_vector() == std::vector<bool>{true, true});
    CHECK(full<float>({2, 0}, 1).to_vector().empty());
}

}  // namespace tensors_test
