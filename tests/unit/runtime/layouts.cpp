// SPDX-License-Identifier: MIT
#include "../../../runtime/layouts/layout.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include "../../../runtime/tensor/bitmask_ops.hpp"
#include "../../support/matchers.hpp"

namespace layouts_test {

using namespace frisket;
using namespace frisket::testing;

/// Shapes with nothing, one element, and sizes that no word or vector divides.
static auto every_shape() {
    return Catch::Generators::values<Shape>(
        {{0}, {1}, {63}, {1003}, {7, 19}, {64, 2}, {5, 0}, {0, 8}, {1, 1}, {9, 12}, {6, 10}, {3, 5, 7}});
}

/// The mask and values of a masked tensor, found element by element from its stored elements.
template <class T>
struct Meaning {
    std::vector<bool> mask;
    std::vector<T> values;
};

/// Calls add(position, value) for all that csr, csc, bsr, bsc or two_four stores and specifies.
template <class T, class Add>
static void walk_compressed(const MaskedTensor<T>& m, const std::vector<T>& stored, const Add& add) {
    const CompressedIndex& index = *m.compressed_index();
    std::vector<bool> is_specified(stored.size(), true);
    if (m.mask().size() > 0) is_specified = Tensor<const bool>(m.mask()).to_vector();
    if (m.layout() == Layout::two_four) {
        for (std::size_t i = 0; i < stored.size(); ++i)
            if (is_specified[i]) add(static_cast<std::int64_t>(i) / 2 * 4 + index.indices[i], stored[i]);
        return;
    }
    const bool by_column = m.layout() == Layout::csc || m.layout() == Layout::bsc;
    const auto [height, width] = index.blocksize;
    std::size_t line = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored.size()); ++i) {
        const std::int64_t entry = i / (height * width), inside = i % (height * width);
        while (index.pointers[line + 1] <= entry) ++line;
        const auto along = static_cast<std::int64_t>(line);
        const std::int64_t row = (by_column ? index.indices[entry] : along) * height + inside / width;
        const std::int64_t column = (by_column ? along : index.indices[entry]) * width + inside % width;
        if (is_specified[i]) add(row * m.shape()[1] + column, stored[i]);
    }
}

template <class T>
static Meaning<T> meaning_of(const MaskedTensor<T>& m) {
    Meaning<T> meaning{.mask = std::vector<bool>(static_cast<std::size_t>(m.size())),
                       .values = std::vector<T>(static_cast<std::size_t>(m.size()))};
    const std::vector<T> stored = Tensor<const T>(m.values()).to_vector();
    const auto add = [&](std::int64_t position, T value) {
        meaning.values[position] = static_cast<T>(meaning.values[position] + value);
        meaning.mask[position] = true;
    };
    if (m.index()) {
        const auto length =
            m.index()->size() == 0 ? 0 : static_cast<std::int64_t>(stored.size()) / m.index()->size();
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored.size()); ++i)
            add((*m.index())[i / length] * length + i % length, stored[i]);
        return meaning;
    }
    if (m.compressed_index()) {
        walk_compressed(m, stored, add);
        return meaning;
    }
    for (std::int64_t i = 0; i < m.size(); ++i) {
        bool is_specified = true;
        if (m.layout() == Layout::strided) is_specified = Tensor<const bool>(m.mask()).to_vector()[i];
        if (m.layout() == Layout::bitmask)
            is_specified = (static_cast<const std::uint64_t*>(m.mask().data())[i / 64] >> (i % 64) & 1) != 0;
        if (is_specified) add(i, stored[i]);
    }
    return meaning;
}

TEMPLATE_TEST_CASE("bits, bytes and values say the same in every layout", "", float, double, std::int32_t,
                   std::int64_t, std::uint8_t, bool) {
    const Layout layout = GENERATE(every_layout());
    const Shape shape = GENERATE(every_shape());
    if (!can_hold(layout, shape)) return;
    const auto m = random_masked<TestType>(shape, specified(0.3), layout, 5, Listed::with_duplicates);
    const auto wanted = meaning_of(m);
    const std::int64_t word_count = runtime::words_for(m.size());
    std::vector<std::uint64_t> words(static_cast<std::size_t>(word_count) + 1, 0x55);
    runtime::bits_of(m, words.data());
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(m.size()) + 1, 0x55);
    runtime::bytes_of(m, bytes.data());
    const auto values = Tensor<const TestType>(runtime::dense_values(m)).to_vector();
    const auto filled = m.to_dense(TestType(1)).to_vector();
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < m.size(); ++i) {
        REQUIRE((words[i / 64] >> (i % 64) & 1) == wanted.mask[i]);
        REQUIRE(bytes[i] == wanted.mask[i]);
        if (wanted.mask[i]) REQUIRE(values[i] == wanted.values[i]);
        REQUIRE(filled[i] == (wanted.mask[i] ? wanted.values[i] : TestType(1)));
        count += wanted.mask[i];
    }
    CHECK(m.specified_count() == count);
    CHECK(runtime::count_bits(words.data(), 0, word_count) == count);
    CHECK(words.back() == 0x55);
    CHECK(bytes.back() == 0x55);
}

TEMPLATE_TEST_CASE("every layout becomes every other one that can hold it", "", float, std::int64_t, bool) {
    const Layout from = GENERATE(every_layout());
    const Layout to = GENERATE(every_layout());
    const Shape shape = GENERATE(every_shape());
    if (!can_hold(from, shape)) return;
    const auto involves = [&](Layout layout) { return from == layout || to == layout; };
    // Whole rows, so that all but dense and two_four can hold them.
    Layout source = involves(Layout::two_four) ? Layout::two_four : Layout::rows;
    if (from == Layout::dense) source = Layout::dense;
    if (!can_hold(source, shape)) return;
    const double density = involves(Layout::two_four) && involves(Layout::rows) ? 0 : 0.4;
    const auto m =
        random_masked<TestType>(shape, specified(density), source, 3, Listed::with_duplicates).to(from);
    const bool fits = can_hold(to, shape) && (to != Layout::dense || m.specified_count() == m.size()) &&
                      (to != Layout::two_four || from != Layout::dense || m.size() == 0);
    if (!fits) {
        CHECK_THROWS_AS(m.to(to), LayoutError);
    } else {
        const auto converted = m.to(to);
        CHECK(converted.layout() == to);
        CHECK(converted.specified_count() == m.specified_count());
        CHECK(same(converted, m));
        CHECK(same(converted.to(from), m));
    }
}

TEST_CASE("specified zeros stay specified in every layout") {
    const auto m = MaskedTensor<float>::rows({3, 2}, {1}, {0, -0.F});
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo, Layout::rows, Layout::csr,
                                Layout::csc, Layout::bsr, Layout::bsc}) {
        CHECK(m.to(layout).specified_count() == 2);
        CHECK(same(m.to(layout), m));
    }
}

TEST_CASE("a layout that cannot hold a tensor refuses it with a sentence") {
    const auto m = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    CHECK_THROWS_MATCHES(
        m.to(Layout::dense), LayoutError,
        Says("to: 3 of 8 elements are specified, layout dense holds tensors with all specified: use "
             "to_dense(fill), which fills the others"));
    CHECK_THROWS_MATCHES(
        m.to(Layout::rows), LayoutError,
        Says("to: row 0 is specified in part, layout rows holds whole rows: use coo, strided or bitmask"));
    // Two elements, the length of a row, the first of which begins a row; yet no row is whole.
    CHECK_THROWS_MATCHES(
        MaskedTensor<float>::coo({3, 2}, {{1, 2}, {0, 1}}, {3, 4}).to(Layout::rows), LayoutError,
        Says("to: row 1 is specified in part, layout rows holds whole rows: use coo, strided or bitmask"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::coo({}, {}, {5}).to(Layout::rows), LayoutError,
                         Says("to: a tensor of shape [] has no rows: use another layout"));
}

TEST_CASE("conversions move bits, also those of signalling NaN") {
    const Tensor<float> values(Shape{4, 2});
    const std::uint32_t bits = poison_bits<float>(Poison::signalling);
    for (std::int64_t i = 0; i < 8; ++i) std::memcpy(values.data() + i, &bits, sizeof bits);
    const auto m = MaskedTensor<float>::dense(values);
    for (const Layout layout : all_layouts()) {
        if (!can_hold(layout, m.shape())) continue;
        CHECK_THAT(m.to(layout).to_dense(0), HasTheBytesOf(values));
        CHECK_THAT(m.to(layout).to(Layout::dense).values(), HasTheBytesOf(values));
    }
}

TEST_CASE("a mask may have any strides") {
    const auto mask = random_mask({70, 90}, specified(0.4));
    std::vector<AnyTensor> masks{mask.transpose(0, 1), mask.slice(1, 3, 88), mask.slice(1, 0, 90, 3),
                                 mask.slice(0, 2, 70, 2), mask.slice(0, 5, 6).broadcast_to({20, 90})};
    masks.push_back(AnyTensor(DType::boolean, &mask.at({69, 89}), {70, 90}, {-90, -1}, true, mask.owner()));
    for (const AnyTensor& some : masks) {
        const auto m = AnyMasked::strided(Tensor<float>(some.shape()), some);
        const AnyMasked plain = AnyMasked::strided(Tensor<float>(some.shape()), some.clone());
        std::vector<std::uint64_t> found(static_cast<std::size_t>(runtime::words_for(m.size()))),
            wanted = found;
        runtime::bits_of(m, found.data());
        runtime::bits_of(plain, wanted.data());
        CHECK(found == wanted);
        CHECK(same(m.mask_tensor(), plain.mask_tensor()));
        CHECK(m.specified_count() == plain.specified_count());
    }
}

TEST_CASE("any byte of a mask but 0 means specified") {
    std::uint8_t bytes[] = {0, 1, 2, 0x80, 0xff};
    const AnyTensor mask(DType::boolean, bytes, {5}, {1}, true, nullptr);
    const AnyMasked m = AnyMasked::strided(arange<float>(5), mask);
    CHECK(m.specified_count() == 4);
    CHECK(same(m, MaskedTensor<float>::coo({5}, {{1, 2, 3, 4}}, {1, 2, 3, 4})));
    CHECK(m.mask_tensor().to_vector() == std::vector<bool>{false, true, true, true, true});
}

TEST_CASE("layouts are found by their names") {
    for (const Layout layout : all_layouts()) CHECK(parse_layout(name_of(layout)) == layout);
    CHECK(name_of(Layout::coo) == "coo");
    CHECK_THROWS_MATCHES(parse_layout("COO"), LayoutError,
                         Says("layout: there is no layout COO: use one of dense, strided, bitmask, coo, "
                              "rows, csr, csc, bsr, bsc, two_four"));
}

TEST_CASE("layouts that store a value for every element share its memory") {
    const Tensor<float> values = arange<float>(6);
    const auto m = masked(values, full<bool>({6}, true));
    CHECK(runtime::dense_values(m).data() == values.data());
    CHECK(m.to(Layout::bitmask).values().data() == values.data());
    CHECK(m.to(Layout::dense).values().data() == values.data());
}

}  // namespace layouts_test
