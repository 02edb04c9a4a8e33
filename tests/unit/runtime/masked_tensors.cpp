// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/masked_tensor.hpp"

#include <cmath>

#include "../../support/matchers.hpp"

namespace masked_tensors_test {

using namespace frisket;
using namespace frisket::testing;

using Floats = std::vector<float>;

TEST_CASE("a coo tensor is written as lists in braces, vectors or tensors") {
    const auto g = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    CHECK(g.layout() == Layout::coo);
    CHECK(g.shape() == Shape{2, 4});
    CHECK(g.specified_count() == 3);
    CHECK(g.to_dense(-1).to_vector() == Floats{-1, -1, 3, -1, 4, -1, 5, -1});
    const Floats values{3, 4, 5};
    CHECK(same(g, MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, values)));
    CHECK(same(g, MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, Tensor<float>({3}, values))));
    CHECK(MaskedTensor<float>::coo({4}, {{1}}, {2}).specified_count() == 1);
    CHECK(MaskedTensor<float>::coo({4}, {{1, 2}}, {2, 3}).specified_count() == 2);
    CHECK(MaskedTensor<float>::coo({2, 4}, {{}, {}}, {}).specified_count() == 0);
    CHECK(MaskedTensor<double>::coo({4}, {{1}}, {0}).to_dense(9).at({1}) == 0);
}

TEST_CASE("a 0-d coo tensor has no lists") {
    CHECK(MaskedTensor<float>::coo({}, {}, {5}).to_dense(0).at({}) == 5);
    CHECK(MaskedTensor<float>::coo({}, {}, {5, 6}).to_dense(0).at({}) == 11);
    CHECK(MaskedTensor<float>::coo({}, {}, {}).specified_count() == 0);
}

TEST_CASE("a rows tensor is written as lists in braces, vectors or tensors") {
    const auto g = MaskedTensor<float>::rows({4, 2}, {3, 1}, {1, 2, 3, 4});
    CHECK(g.values().shape() == Shape{2, 2});
    CHECK(g.specified_count() == 4);
    CHECK(g.to_dense(0).to_vector() == Floats{0, 0, 3, 4, 0, 0, 1, 2});
    CHECK(same(g, MaskedTensor<float>::rows({4, 2}, {3, 1}, Tensor<float>({2, 2}, {1, 2, 3, 4}))));
    CHECK(MaskedTensor<float>::rows({4}, {2}, {7}).to_dense(0).to_vector() == Floats{0, 0, 7, 0});
    CHECK(MaskedTensor<float>::rows({4, 2}, {}, {}).specified_count() == 0);
    CHECK(MaskedTensor<float>::rows({0, 2}, {}, {}).size() == 0);
    CHECK(MaskedTensor<float>::rows({3, 0}, {2, 1}, {}).specified_count() == 0);
}

TEST_CASE("an index that is out of range is named with its list and position") {
    CHECK_THROWS_MATCHES(MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 7}}, {3, 4, 5}), LayoutError,
                         Says("coo: index 7 in list 1 at position 2 is out of range for extent 4"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::coo({2, 4}, {{0, -1}, {2, 0}}, {3, 4}), LayoutError,
                         Says("coo: index -1 in list 0 at position 1 is out of range for extent 2"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::coo({2, 0}, {{0}, {0}}, {3}), LayoutError,
                         Says("coo: index 0 in list 1 at position 0 is out of range for extent 0"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::rows({4, 1}, {1, 4}, {3, 4}), LayoutError,
                         Says("rows: row number 4 at position 1 is out of range for extent 4"));
}

TEST_CASE("lists that do not fit each other are refused") {
    CHECK_THROWS_MATCHES(
        MaskedTensor<float>::coo({2, 4}, {{0, 1}}, {3, 4}), LayoutError,
        Says("coo: 1 lists of indices for shape [2, 4]: give one list for each of its 2 dimensions"));
    CHECK_THROWS_MATCHES(
        MaskedTensor<float>::coo({2, 4}, {{0, 1}, {2}}, {3, 4}), LayoutError,
        Says("coo: list 1 has 1 indices, list 0 has 2: give one index in each list for each stored element"));
    CHECK_THROWS_MATCHES(
        MaskedTensor<float>::coo({2, 4}, {{0, 1}, {2, 3}}, {3, 4, 5}), LayoutError,
        Says("coo: the values have shape [3], the lists have 2 indices: give values of shape [2]"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::coo({2, -4}, {{}, {}}, {}), ShapeError,
                         Says("shape [2, -4] has extent -4: extents are 0 or more"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::rows({4, 2}, {1, 3}, {3, 4, 5}), LayoutError,
                         Says("rows: 3 values for 2 rows of shape [4, 2]: give 4"));
    CHECK_THROWS_MATCHES(
        MaskedTensor<float>::rows({4, 2}, {1, 3}, ones<float>({2, 3})), LayoutError,
        Says("rows: the values have shape [2, 3], 2 indices want [2, 2]: give one entry for each index"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::rows({}, {}, {}), LayoutError,
                         Says("rows: a tensor of shape [] has no rows: use another layout"));
}

TEST_CASE("a list that is made already fits its shape or is refused") {
    const auto list = std::make_shared<const IndexList>(std::vector<std::int64_t>{1, 2}, 8);
    CHECK(AnyMasked::indexed(Layout::coo, {2, 4}, list, ones<float>({2})).specified_count() == 2);
    CHECK(AnyMasked::indexed(Layout::rows, {8, 3}, list, ones<float>({2, 3})).specified_count() == 6);
    CHECK_THROWS_MATCHES(
        AnyMasked::indexed(Layout::coo, {2, 5}, list, ones<float>({2})), LayoutError,
        Says("coo: the indices lie below 8, shape [2, 5] wants 10: make the list with that bound"));
    CHECK_THROWS_MATCHES(AnyMasked::indexed(Layout::strided, {2, 4}, list, ones<float>({2})), LayoutError,
                         Says("strided: a list of indices makes layouts coo and, of rank 1 or more, rows"));
}

TEST_CASE("a mask broadcasts to its values and never the reverse") {
    const auto m = masked(arange<float>(6).reshape({2, 3}), Tensor<bool>({3}, {true, false, true}));
    CHECK(m.layout() == Layout::strided);
    CHECK(m.specified_count() == 4);
    CHECK(m.to_dense(-1).to_vector() == Floats{0, -1, 2, 3, -1, 5});
    CHECK_THROWS_MATCHES(
        masked(arange<float>(3), full<bool>({2, 3}, true)), ShapeError,
        Says("masked: the mask has shape [2, 3], the values have [3]: the mask broadcasts to the "
             "values, never the reverse"));
    CHECK_THROWS_MATCHES(
        AnyMasked::strided(arange<float>(3), arange<float>(3)), DTypeError,
        Says("masked: the mask has dtype float32, wanted bool: compare with something, or convert it"));
}

TEST_CASE("a strided tensor shares memory with its values and mask") {
    const Tensor<float> values = arange<float>(3);
    const Tensor<bool> mask({3}, {true, false, true});
    const auto m = masked(values, mask);
    const auto apart = m.clone();
    values.at({0}) = 9;
    mask.at({2}) = false;
    CHECK(m.to_dense(-1).to_vector() == Floats{9, -1, -1});
    CHECK(apart.to_dense(-1).to_vector() == Floats{0, -1, 2});
    CHECK(masked(Tensor<const float>(values), Tensor<const bool>(mask)).specified_count() == 1);
}

TEST_CASE("a bitmask needs a word for every 64 elements and ignores bits past the end") {
    const auto m = MaskedTensor<float>::bitmask(arange<float>(65), Tensor<std::int64_t>({2}, {5, -1}));
    CHECK(m.specified_count() == 3);
    CHECK(m.mask_tensor().at({64}));
    CHECK_THROWS_MATCHES(
        MaskedTensor<float>::bitmask(arange<float>(65), Tensor<std::int64_t>({1}, {5})), LayoutError,
        Says("bitmask: 1 words hold the bits of 64 elements, shape [65] has 65: give 2 words"));
    CHECK_THROWS_MATCHES(AnyMasked::bitmask(arange<float>(65), arange<std::int32_t>(3)), DTypeError,
                         Says("bitmask: the words have dtype int32, wanted int64: give 64 bits a word"));
}

TEST_CASE("of more words than a bitmask needs none is copied") {
    constexpr std::int64_t many = std::int64_t{1} << 26;  // squared, more than there is memory for
    const Tensor<const std::int64_t> word(Tensor<std::int64_t>({1, 1}, {5}));
    const auto m = AnyMasked::bitmask(arange<float>(65), word.broadcast_to({many, many}));
    CHECK(m.specified_count() == 3);
    CHECK(m.mask().size() < 4);
    const auto one = AnyMasked::bitmask(arange<float>(3), word.broadcast_to({1, many, 2}));
    CHECK(one.specified_count() == 2);
    const auto none = AnyMasked::bitmask(Tensor<float>({0}), word.broadcast_to({many, many}));
    CHECK(none.specified_count() == 0);
    CHECK(AnyMasked::bitmask(Tensor<float>({0}), AnyTensor(DType::int64, {0, many, many, many})).size() == 0);
}

TEST_CASE("a dense masked tensor is specified everywhere") {
    const auto m = MaskedTensor<float>::dense(arange<float>(6).reshape({2, 3}).transpose(0, 1));
    CHECK(m.specified_count() == 6);
    CHECK(m.to_dense(9).to_vector() == Floats{0, 3, 1, 4, 2, 5});
    CHECK(MaskedTensor<float>().size() == 0);
    CHECK(AnyMasked().specified_count() == 0);
}

TEST_CASE("a masked handle is of the tensor's dtype") {
    CHECK_THROWS_MATCHES(
        MaskedTensor<double>(AnyMasked::dense(arange<float>(3))), DTypeError,
        Says("masked tensor: it has dtype float32, the handle is for float64: use a handle of its "
             "dtype, or convert it"));
}

TEST_CASE("a fill keeps its bits and is refused if the dtype cannot hold it") {
    const AnyMasked ints = MaskedTensor<std::int32_t>::coo({2}, {{1}}, {5});
    CHECK(Tensor<std::int32_t>(ints.to_dense(-7)).to_vector() == std::vector<std::int32_t>{-7, 5});
    CHECK_THROWS_MATCHES(
        ints.to_dense(3e9), ValueError,
        Says("to_dense: fill 3000000000.000000 does not fit int32: give a number in its range"));
    CHECK_THROWS_AS(ints.to_dense(NAN), ValueError);
    CHECK_THROWS_AS(AnyMasked(MaskedTensor<std::uint8_t>::dense(arange<std::uint8_t>(1))).to_dense(-1),
                    ValueError);
    const auto longs = MaskedTensor<std::int64_t>::coo({2}, {{1}}, {5});
    CHECK(longs.to_dense(9007199254740993).at({0}) == 9007199254740993);
    const auto floats = MaskedTensor<float>::coo({2}, {{1}}, {5});
    CHECK(std::signbit(floats.to_dense(-0.F).at({0})));
    CHECK(std::isnan(floats.to_dense(NAN).at({0})));
}

TEST_CASE("masked tensors are the same if mask and specified bits are, whatever the layouts and the rest") {
    const auto a = masked(Tensor<float>({3}, {1, 2, 3}), Tensor<bool>({3}, {true, false, true}));
    const auto b = masked(Tensor<float>({3}, {1, 99, 3}), Tensor<bool>({3}, {true, false, true}));
    CHECK(same(a, b));
    CHECK(same(a, MaskedTensor<float>::coo({3}, {{2, 0}}, {3, 1})));
    CHECK_FALSE(same(a, MaskedTensor<float>::coo({3}, {{2, 0}}, {3, -1})));
    CHECK_FALSE(same(a, MaskedTensor<float>::coo({3}, {{2, 1}}, {3, 1})));
    CHECK_FALSE(same(a, MaskedTensor<float>::coo({1, 3}, {{0, 0}, {2, 0}}, {3, 1})));
    CHECK_FALSE(same(a, MaskedTensor<double>::coo({3}, {{2, 0}}, {3, 1})));
}

}  // namespace masked_tensors_test
