// SPDX-License-Identifier: MIT
// Compares products of lists with dense matrices at listed indices with whole products.
#include "../../../runtime/list_kernels/spmm.hpp"

#include "../../support/matchers.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace products_at_places_test {

using namespace frisket;
using namespace frisket::testing;
using list_kernels::FactorMatrix;

namespace {

constexpr std::int64_t rows = 7, columns = 11, batches = 3;

void in_turn(int count, const std::function<void(int)>& task) {
    for (int i = 0; i < count; ++i) task(i);
}

/// Every `step`-th position of matrices of these extents.
std::shared_ptr<const IndexList> listed(std::int64_t size, std::int64_t step) {
    std::vector<std::int64_t> made;
    for (std::int64_t i = step / 2; i < size; i += step) made.push_back(i);
    return std::make_shared<const IndexList>(std::move(made), size);
}

/// Numbers whose products round in float.
template <class T>
Tensor<T> numbers(const Shape& shape) {
    Tensor<T> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<T>((i * 37 % 101 - 50) / (std::is_integral_v<T> ? 1 : T{3}));
    return made;
}

template <class T>
FactorMatrix list_factor(const Shape& shape, std::int64_t count, bool is_transposed, bool leaves_out) {
    FactorMatrix made{
        .positions = listed(count * shape[0] * shape[1], 3), .count = count, .is_transposed = is_transposed};
    made.values = numbers<T>({made.positions->size()});
    if (leaves_out) {
        const Tensor<bool> where({made.positions->size()});
        for (std::int64_t i = 0; i < where.size(); ++i) where.data()[i] = i % 4 != 1;
        made.where = where;
    }
    return made;
}

template <class T>
FactorMatrix dense_factor(const Shape& shape, std::int64_t count, bool is_transposed) {
    const Shape own = is_transposed ? Shape{shape[1], shape[0]} : shape;
    const Shape all = count == 1 ? own : Shape{count, own[0], own[1]};
    return {.values = numbers<T>(all), .count = count, .is_transposed = is_transposed};
}

/// Returns for each element of all batches whether it has a term, and its value.
template <class T>
std::vector<std::pair<bool, T>> elements(const AnyMasked& made) {
    const MaskedTensor<T> typed(made);
    const Tensor<T> values = typed.to_dense(T{0});
    const Tensor<bool> mask = typed.mask_tensor();
    std::vector<std::pair<bool, T>> found;
    for (std::int64_t i = 0; i < values.size(); ++i) found.emplace_back(mask.data()[i], values.data()[i]);
    return found;
}

template <class T>
void check_product(list_kernels::Factors factors) {
    const auto whole = elements<T>(list_kernels::multiplied(factors, in_turn));
    const Shape shape{factors.batches, rows, columns};
    for (const std::int64_t step : {1, 2, 5}) {
        const auto places = listed(element_count(shape), step);
        factors.places = AnyMasked::indexed(Layout::coo, shape, places, numbers<T>({places->size()}));
        const auto found = elements<T>(list_kernels::multiplied(factors, in_turn));
        REQUIRE(found.size() == whole.size());
        for (std::int64_t i = 0; i < std::ssize(whole); ++i) {
            const bool is_listed = i >= step / 2 && (i - step / 2) % step == 0;
            const auto& one = whole[static_cast<std::size_t>(i)];
            const auto wanted = is_listed && one.first ? one : std::pair(false, T{0});
            CAPTURE(step, i);
            REQUIRE(found[static_cast<std::size_t>(i)] == wanted);
        }
    }
}

template <class T>
void check_all(std::int64_t inner, std::int64_t count_of_list, std::int64_t count_of_dense, bool leaves_out) {
    const std::int64_t all = std::max(count_of_list, count_of_dense);
    for (const bool is_transposed : {false, true})
        for (const bool is_dense_transposed : {false, true}) {
            CAPTURE(is_transposed, is_dense_transposed);
            const Shape left{rows, inner}, right{inner, columns};
            const auto stored = [](const Shape& shape, bool turned) {
                return turned ? Shape{shape[1], shape[0]} : shape;
            };
            const Shape own_left = stored(left, is_transposed), own_right = stored(right, is_transposed);
            check_product<T>({.left = list_factor<T>(own_left, count_of_list, is_transposed, leaves_out),
                              .right = dense_factor<T>(right, count_of_dense, is_dense_transposed),
                              .rows = rows,
                              .inner = inner,
                              .columns = columns,
                              .batches = all});
            check_product<T>({.left = dense_factor<T>(left, count_of_dense, is_dense_transposed),
                              .right = list_factor<T>(own_right, count_of_list, is_transposed, leaves_out),
                              .rows = rows,
                              .inner = inner,
                              .columns = columns,
                              .batches = all});
        }
}

}  // namespace

TEST_CASE("products of lists with dense matrices have the bits of the whole at places", "[runtime]") {
    // Sums of products are added by panels of 16 terms.
    const std::int64_t inner = GENERATE(1, 15, 16, 17, 33);
    const bool leaves_out = GENERATE(false, true);
    CAPTURE(inner, leaves_out);
    check_all<float>(inner, 1, 1, leaves_out);
    check_all<double>(inner, batches, batches, leaves_out);
    check_all<float>(inner, batches, 1, leaves_out);
    check_all<float>(inner, 1, batches, leaves_out);
    check_all<std::int32_t>(inner, batches, batches, leaves_out);
}

}  // namespace products_at_places_test
