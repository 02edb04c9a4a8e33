// SPDX-License-Identifier: MIT
/// csr, csc, bsr, bsc, two_four and marked entries of coo: accepted, refused and stored parts.
#include "../../support/matchers.hpp"

namespace compressed_test {

using namespace frisket;
using namespace frisket::testing;

using List = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Bools = std::vector<bool>;
using Matrix = MaskedTensor<float>;

static Floats floats(const AnyTensor& tensor) { return Tensor<const float>(tensor).to_vector(); }
static Bools bools(const AnyTensor& tensor) { return Tensor<const bool>(tensor).to_vector(); }

/// [[0, 1, --], [--, --, 2]]
static Matrix small() { return Matrix::coo({2, 3}, {{0, 0, 1}, {0, 1, 2}}, {0, 1, 2}); }

TEST_CASE("the same matrix is made in PyTorch's order of parts in every compressed layout") {
    CHECK(same(Matrix::csr({2, 3}, {0, 2, 3}, {0, 1, 2}, {0, 1, 2}), small()));
    CHECK(same(Matrix::csc({2, 3}, {0, 1, 2, 3}, {0, 0, 1}, {0, 1, 2}), small()));
    CHECK(same(Matrix::bsr({2, 3}, {2, 1}, {0, 3}, {0, 1, 2}, {0, 9, 1, 9, 9, 2},
                           {true, false, true, false, false, true}),
               small()));
    CHECK(same(Matrix::bsc({2, 3}, {1, 3}, {0, 2}, {0, 1}, {0, 1, 9, 9, 9, 2},
                           {true, true, false, false, false, true}),
               small()));
    const auto m = Matrix::two_four({1, 8}, {1, 3, 0, 1}, {5, 6, 9, 9}, {true, true, false, false});
    CHECK(same(m, Matrix::coo({1, 8}, {{0, 0}, {1, 3}}, {5, 6})));
}

TEST_CASE("parts are kept as they were given, in any shape that has as many values") {
    const auto m = Matrix::bsr({2, 4}, {2, 2}, {0, 1}, {1}, {1, 2, 3, 4});
    CHECK(m.values().shape() == Shape{1, 2, 2});
    CHECK(bools(m.mask()) == Bools{true, true, true, true});
    CHECK(m.compressed_index()->blocksize == Blocksize{2, 2});
    CHECK(m.compressed_index()->pointers == List{0, 1});
    CHECK(m.compressed_index()->indices == List{1});
    const Tensor<float> values = arange<float>(2).reshape({1, 2});
    const auto slots = Matrix::two_four({1, 4}, {2, 3}, values);
    CHECK(slots.values().data() == values.data());
    CHECK(slots.compressed_index()->indices == List{2, 3});
    CHECK(same(slots, slots.clone()));
    const Tensor<float> gaps = arange<float>(6).slice(0, 0, 6, 2);
    CHECK(floats(Matrix::csr({1, 3}, {0, 3}, {0, 1, 2}, gaps).values()) == Floats{0, 2, 4});
}

TEST_CASE("what values_mask leaves out is not kept") {
    const auto coo = Matrix::coo({4}, {{3, 1, 1}}, {1, 2, NAN}, {true, true, false});
    CHECK(coo.index()->size() == 2);
    CHECK(coo.coalesce().to_dense(0).to_vector() == Floats{0, 2, 0, 1});
    const auto csr = Matrix::csr({2, 3}, {0, 2, 3}, {0, 1, 2}, {NAN, 1, 2}, {false, true, true});
    CHECK(csr.compressed_index()->pointers == List{0, 1, 2});
    CHECK(csr.compressed_index()->indices == List{1, 2});
    CHECK(floats(csr.values()) == Floats{1, 2});
    const auto bsr = Matrix::bsr({2, 4}, {2, 2}, {0, 2}, {0, 1}, {NAN, NAN, NAN, NAN, 5, NAN, NAN, NAN},
                                 {false, false, false, false, true, false, false, false});
    CHECK(bsr.compressed_index()->indices == List{1});
    CHECK(bsr.values().shape() == Shape{1, 2, 2});
    CHECK(bsr.specified_count() == 1);
}

TEST_CASE("a spare slot stands at the lowest unspecified place") {
    const auto m = Matrix::two_four({1, 12}, {1, 2, 2, 3, 0, 3}, {NAN, 7, NAN, NAN, 4, NAN},
                                    {false, true, false, false, true, false});
    CHECK(m.compressed_index()->indices == List{0, 2, 0, 1, 0, 1});
    CHECK(bools(m.mask()) == Bools{false, true, false, false, true, false});
    CHECK(same(m, Matrix::coo({1, 12}, {{0, 0}, {2, 8}}, {7, 4})));
    CHECK(m.to(Layout::coo).to(Layout::two_four).compressed_index()->indices ==
          m.compressed_index()->indices);
}

TEST_CASE("blocks come in the size asked for, kept, or usual") {
    const auto m = random_masked({12, 6}, specified(0.2), Layout::coo, 3);
    CHECK(m.to(Layout::bsr).compressed_index()->blocksize == Blocksize{4, 2});
    const auto threes = m.to(Layout::bsr, Blocksize{3, 3});
    CHECK(threes.compressed_index()->blocksize == Blocksize{3, 3});
    CHECK(threes.to(Layout::bsc).compressed_index()->blocksize == Blocksize{3, 3});
    CHECK(threes.to(Layout::bsr).values().data() == threes.values().data());
    CHECK(threes.to(Layout::bsr, Blocksize{3, 3}).values().data() == threes.values().data());
    for (const Layout layout : {Layout::bsr, Layout::bsc})
        for (const Blocksize blocksize : {Blocksize{1, 1}, {12, 6}, {2, 3}, {6, 1}}) {
            CHECK(same(m.to(layout, blocksize), m));
            CHECK(same(threes.to(layout, blocksize), m));
        }
    CHECK_THROWS_MATCHES(m.to(Layout::csr, Blocksize{2, 2}), LayoutError,
                         Says("to: layout csr has no blocks: use bsr or bsc, or give no block size"));
    CHECK_THROWS_MATCHES(
        m.to(Layout::bsr, Blocksize{5, 2}), LayoutError,
        Says("to: blocks of 5 by 2 do not divide shape [12, 6]: give extents of 1 or more that "
             "divide the shape's"));
}

TEST_CASE("conversions give the canonical storage: sorted, each once, only what is specified") {
    const auto m = Matrix::coo({2, 4}, {{1, 0, 1, 0}, {2, 3, 2, 0}}, {1, 2, 3, 4});
    CHECK((*m.to(Layout::coo).index())[0] == 0);
    CHECK(floats(m.to(Layout::coo).values()) == Floats{4, 2, 4});
    const auto csc = m.to(Layout::csc);
    CHECK(csc.compressed_index()->pointers == List{0, 1, 1, 2, 3});
    CHECK(csc.compressed_index()->indices == List{0, 1, 0});
    CHECK(floats(csc.values()) == Floats{4, 4, 2});
    CHECK(csc.mask().size() == 0);
    const auto bsc = csc.to(Layout::bsc, Blocksize{2, 2});
    CHECK(bsc.compressed_index()->pointers == List{0, 1, 2});
    CHECK(bsc.compressed_index()->indices == List{0, 0});
    CHECK(bools(bsc.mask()) == Bools{true, false, false, false, false, true, true, false});
}

TEST_CASE("parts that break a rule of csr and csc are refused with a sentence") {
    const auto says = [](const List& pointers, const List& columns, const char* sentence) {
        CHECK_THROWS_MATCHES(Matrix::csr({2, 3}, pointers, columns, Floats(columns.size())), LayoutError,
                             Says(sentence));
    };
    says({0, 1}, {0}, "csr: 2 row pointers for 2 rows: give 3");
    says({1, 1, 2}, {0, 1}, "csr: row pointer 0 is 1: the first is 0");
    says({0, 2, 1}, {0, 1}, "csr: row pointer 2 is 1, the one before is 2: pointers do not decrease");
    says({0, 1, 3}, {0, 1},
         "csr: the last row pointer is 3, there are 2 column indices: the last pointer is their number");
    says({0, 1, 2}, {0, 3}, "csr: column 3 at position 1 is out of range for extent 3");
    says({0, 1, 2}, {0, -1}, "csr: column -1 at position 1 is out of range for extent 3");
    says({0, 2, 2}, {1, 0},
         "csr: column 0 at position 1 follows 1 in row 0: indices of one row ascend, each comes once");
    says({0, 2, 2}, {1, 1},
         "csr: column 1 at position 1 follows 1 in row 0: indices of one row ascend, each comes once");
    CHECK_THROWS_MATCHES(Matrix::csc({2, 3}, {0, 1, 1, 2}, {0, 5}, {1, 2}), LayoutError,
                         Says("csc: row 5 at position 1 is out of range for extent 2"));
    CHECK_THROWS_MATCHES(Matrix::csc({2, 3}, {0, 1}, {0}, {1}), LayoutError,
                         Says("csc: 2 column pointers for 3 columns: give 4"));
    CHECK_THROWS_MATCHES(
        Matrix::csr({2, 3}, {0, 1, 2}, {0, 1}, {1}), LayoutError,
        Says("csr: the values have shape [1], 2 column indices want [2]: give one value for each"));
    CHECK_THROWS_MATCHES(
        Matrix::csr({2, 3}, {0, 1, 2}, {0, 1}, {1, 2}, {true}), LayoutError,
        Says("csr: values_mask has shape [1], the values have [2]: give one truth value for each value"));
    CHECK_THROWS_MATCHES(
        AnyMasked::csr({2, 3}, {0, 1, 2}, {0, 1}, arange<float>(2), arange<float>(2)), DTypeError,
        Says("csr: values_mask has dtype float32, wanted bool: compare with something, or convert it"));
    CHECK_THROWS_MATCHES(
        Matrix::csr({2}, {0, 1, 2}, {0, 1}, {1, 2}), LayoutError,
        Says("csr: shape [2] has 1 dimensions, layout csr holds matrices: use coo, strided or bitmask"));
    CHECK_THROWS_AS(Matrix::csr({-2, 3}, {0}, {}, Floats{}), ShapeError);
}

TEST_CASE("parts that break a rule of bsr and bsc are refused with a sentence") {
    CHECK_THROWS_MATCHES(
        Matrix::bsr({4, 6}, {3, 2}, {0}, {}, {}), LayoutError,
        Says("bsr: blocks of 3 by 2 do not divide shape [4, 6]: give extents of 1 or more that "
             "divide the shape's"));
    CHECK_THROWS_MATCHES(
        Matrix::bsc({4, 6}, {0, 2}, {0}, {}, {}), LayoutError,
        Says("bsc: blocks of 0 by 2 do not divide shape [4, 6]: give extents of 1 or more that "
             "divide the shape's"));
    CHECK_THROWS_MATCHES(Matrix::bsr({4, 6}, {2, 2}, {0, 1}, {0}, Floats(4)), LayoutError,
                         Says("bsr: 2 row pointers for 2 rows of blocks: give 3"));
    CHECK_THROWS_MATCHES(Matrix::bsr({4, 6}, {2, 2}, {0, 1, 1}, {3}, Floats(4)), LayoutError,
                         Says("bsr: column 3 of blocks at position 0 is out of range for extent 3"));
    CHECK_THROWS_MATCHES(
        Matrix::bsr({4, 6}, {2, 2}, {0, 1, 1}, {2}, Floats(3)), LayoutError,
        Says("bsr: the values have shape [3], 1 column indices want [1, 2, 2]: give each block's "
             "values, row-major"));
}

TEST_CASE("parts that break a rule of two_four are refused with a sentence") {
    CHECK_THROWS_MATCHES(Matrix::two_four({2, 6}, {}, {}), LayoutError,
                         Says("two_four: shape [2, 6] has columns that do not divide by 4: use another "
                              "layout, or fill the rows up"));
    CHECK_THROWS_MATCHES(Matrix::two_four({4}, {}, {}), LayoutError,
                         Says("two_four: shape [4] has 1 dimensions, layout two_four holds matrices: use "
                              "coo, strided or bitmask"));
    CHECK_THROWS_MATCHES(
        Matrix::two_four({1, 8}, {0, 1}, {1, 2}), LayoutError,
        Says("two_four: 2 slots for shape [1, 8]: give 4, two for each row and four columns"));
    CHECK_THROWS_MATCHES(Matrix::two_four({1, 4}, {0, 4}, {1, 2}), LayoutError,
                         Says("two_four: slot 4 at position 1 is out of range: slots are 0 to 3"));
    CHECK_THROWS_MATCHES(Matrix::two_four({1, 4}, {2, 2}, {1, 2}), LayoutError,
                         Says("two_four: slot 2 at position 1 follows 2: the two slots of a group ascend"));
    CHECK_THROWS_MATCHES(
        Matrix::two_four({1, 4}, {2, 3}, {1}), LayoutError,
        Says("two_four: the values have shape [1], shape [1, 4] wants [1, 2]: give one value for each slot"));
    const auto full_group = Matrix::coo({2, 8}, {{1, 1, 1}, {4, 5, 7}}, {1, 2, 3});
    CHECK_THROWS_MATCHES(
        full_group.to(Layout::two_four), LayoutError,
        Says("to: row 1 has 3 specified elements in columns 4 to 7 (group 1), layout two_four "
             "holds two of four: use another layout"));
}

TEST_CASE("a marked entry of coo counts only where it is specified") {
    CHECK_THROWS_MATCHES(
        Matrix::coo({4}, {{3, 1}}, {1, 2}, {true}), LayoutError,
        Says("coo: values_mask has shape [1], the values have [2]: give one truth value for each value"));
    CHECK(same(Matrix::coo({4}, {{3, 1}}, {1, 2}, {true, true}), Matrix::coo({4}, {{1, 3}}, {2, 1})));
    CHECK(Matrix::coo({4}, {{3, 1}}, {1, 2}, {false, false}).specified_count() == 0);
    CHECK(MaskedTensor<bool>::coo({2}, {{0, 0}}, {true, true}, {true, false}).to_dense(false).at({0}));
}

TEST_CASE("matrices without elements are held by every layout of matrices") {
    for (const Shape& shape : {Shape{0, 8}, Shape{5, 0}, Shape{0, 0}, Shape{4, 8}})
        for (const Layout layout : {Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four}) {
            INFO(name_of(layout) << ", shape " << to_string(shape));
            const auto m = masked(Tensor<float>(shape), Tensor<bool>(shape)).to(layout);
            CHECK(m.specified_count() == 0);
            CHECK(same(m, m.to(Layout::coo).to(layout)));
            CHECK(m.to_dense(3).size() == element_count(shape));
        }
}

}  // namespace compressed_test
