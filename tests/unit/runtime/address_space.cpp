// SPDX-License-Identifier: MIT
#include <limits>
#include <optional>

#include "../../../runtime/tensor/masked_tensor.hpp"
#include "../../support/matchers.hpp"

namespace address_space_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

constexpr std::int64_t power(int exponent) { return std::int64_t{1} << exponent; }

/// Outcomes of a view of memory that has 60 elements.
enum class Outcome : std::uint8_t { taken, too_far, too_large, out_of_space };

struct View {
    Shape shape;
    Strides strides;
    Outcome outcome;
};

const View views[] = {
    {{6, 10}, {10, 1}, Outcome::taken},
    {{6, 10}, {1, 6}, Outcome::taken},
    {{6, 10}, {0, 0}, Outcome::taken},
    {{6, 10}, {power(62), 1}, Outcome::too_far},
    {{6, 10}, {most, 1}, Outcome::too_far},
    {{6, 10}, {least, 1}, Outcome::too_far},
    {{6, 10}, {-most, 1}, Outcome::too_far},
    {{6, 10}, {1, most}, Outcome::too_far},
    {{6, 10}, {power(61), power(61)}, Outcome::too_far},
    {{6, 10}, {power(62) / 5, 1}, Outcome::too_far},
    {{6, 10}, {-(power(62) / 5), power(62) / 9}, Outcome::too_far},
    {{6, 10}, {power(58), 1}, Outcome::too_far},
    {{3, 4}, {power(62), 1}, Outcome::too_far},
    {{3, 4}, {power(63 - 1), -power(62)}, Outcome::too_far},
    {{2, 2, 2}, {power(56), power(56), power(56)}, Outcome::too_far},
    {{2, 4}, {-power(52), 1}, Outcome::out_of_space},
    {{most}, {1}, Outcome::too_large},
    {{most}, {0}, Outcome::too_large},
    {{power(31), power(31)}, {0, 0}, Outcome::too_large},
    {{1, 10}, {most, 1}, Outcome::taken},
    {{1, 10}, {least, 1}, Outcome::taken},
    {{1, 1}, {least, most}, Outcome::taken},
    {{}, {}, Outcome::taken},
    {{0, 10}, {most, least}, Outcome::taken},
    {{most, 0}, {most, most}, Outcome::taken},
    {{0, most, most}, {least, least, least}, Outcome::taken},
};

/// The error of a view's outcome, "" for none.
std::string wanted_text(const View& view, DType dtype) {
    const std::string shape = "shape " + to_string(view.shape),
                      with_strides = shape + " with strides " + to_string(view.strides);
    switch (view.outcome) {
        case Outcome::taken: return "";
        case Outcome::too_far:
            return "view: " + with_strides +
                   " reaches further than 2^57 bytes, no memory holds that: give the strides of the memory";
        case Outcome::too_large:
            return "view: " + shape + " of " + std::string(name_of(dtype)) +
                   " has more than 2^57 bytes, no memory holds that: make it smaller";
        case Outcome::out_of_space: break;
    }
    return "view: " + with_strides +
           " leads out of the address space: give the data and strides of the memory";
}

template <class T>
void check_views() {
    std::vector<double> memory(60, 0);
    auto* const data = reinterpret_cast<T*>(memory.data());
    for (const View& view : views) {
        INFO(name_of(dtype_of<T>) << ", shape " << to_string(view.shape) << ", strides "
                                  << to_string(view.strides));
        std::optional<Tensor<T>> made;
        std::string text;
        try {
            made = Tensor<T>::view(data, view.shape, view.strides);
        } catch (const Error& error) {
            text = error.what();
            CHECK(error.code() ==
                  (view.outcome == Outcome::out_of_space ? ErrorCode::value : ErrorCode::shape));
        }
        const std::string wanted = wanted_text(view, dtype_of<T>);
        CHECK(text == (wanted.empty() ? "" : "frisket: " + wanted));
        if (!made) continue;
        // Accepted views can be computed with: sanitizers see overflows.
        CHECK(made->clone().size() == made->size());
        CHECK(made->to_vector().size() == static_cast<std::size_t>(made->size()));
        CHECK(same(*made, made->clone()));
        for (int d = 0; d < made->rank(); ++d) CHECK_NOTHROW(made->slice(d, 0, most, 3).clone());
        CHECK_NOTHROW(AnyTensor(*made).to(DType::int64));
    }
}

}  // namespace

TEST_CASE("a view is taken only if every element lies in the address space, for every dtype") {
    check_views<bool>();
    check_views<std::uint8_t>();
    check_views<std::int32_t>();
    check_views<std::int64_t>();
    check_views<float>();
    check_views<double>();
    check_views<float16>();
    check_views<bfloat16>();
}

TEST_CASE("values, masks and words are views like others") {
    std::vector<double> memory(60, 0);
    const auto any = [&](DType dtype, Shape shape, Strides strides) {
        return AnyTensor(dtype, memory.data(), std::move(shape), std::move(strides), true, {});
    };
    CHECK_THROWS_AS(AnyMasked::strided(any(DType::float32, {6, 10}, {power(62) / 5, 1}),
                                       any(DType::boolean, {6, 10}, {10, 1})),
                    ShapeError);
    CHECK_THROWS_AS(AnyMasked::strided(any(DType::float32, {6, 10}, {10, 1}),
                                       any(DType::boolean, {6, 10}, {power(62) / 5, 1})),
                    ShapeError);
    CHECK_THROWS_AS(
        AnyMasked::bitmask(any(DType::float32, {6, 10}, {10, 1}), any(DType::int64, {2}, {power(60)})),
        ShapeError);
}

TEST_CASE("a new tensor of more bytes than processors address is refused, whatever memory there is") {
    for (const DType dtype : {DType::boolean, DType::uint8, DType::float16, DType::float32, DType::int64}) {
        INFO(name_of(dtype));
        for (const Shape& shape :
             {Shape{most}, Shape{power(57) / bytes_of(dtype) + 1}, Shape{power(31), power(31)}})
            CHECK_THROWS_MATCHES(AnyTensor(dtype, shape), ShapeError,
                                 Says("shape " + to_string(shape) + " of " + std::string(name_of(dtype)) +
                                      " has more than 2^57 bytes, no memory holds that: make it smaller"));
        CHECK(AnyTensor(dtype, {most, 0}).size() == 0);
    }
    CHECK_THROWS_AS(full<float>({1}, 1).broadcast_to({most}), ShapeError);
}

TEST_CASE("matrices of more lines than there can be pointers have no compressed layout") {
    const std::vector<std::int64_t> two{0, 0};
    const Shape tall{most, 1}, wide{1, most}, tall_empty{most, 0}, wide_empty{0, most};
    for (const Shape& shape : {tall, tall_empty}) {
        CHECK_THROWS_AS(AnyMasked::csr(shape, two, {}, Tensor<float>()), LayoutError);
        CHECK_THROWS_AS(AnyMasked::bsr(shape, {}, two, {}, Tensor<float>()), LayoutError);
        CHECK_THROWS_MATCHES(
            AnyMasked::coo(shape, {{}, {}}, Tensor<float>()).to(Layout::csr), LayoutError,
            Says("to: shape " + to_string(shape) +
                 " has 9223372036854775807 rows, layout csr stores a pointer for each and no memory holds "
                 "them: use coo"));
    }
    for (const Shape& shape : {wide, wide_empty}) {
        CHECK_THROWS_AS(AnyMasked::csc(shape, two, {}, Tensor<float>()), LayoutError);
        CHECK_THROWS_AS(AnyMasked::bsc(shape, {}, two, {}, Tensor<float>()), LayoutError);
        CHECK_THROWS_MATCHES(
            AnyMasked::coo(shape, {{}, {}}, Tensor<float>()).to(Layout::bsc), LayoutError,
            Says("to: shape " + to_string(shape) +
                 " has 9223372036854775807 columns of blocks, layout bsc stores a pointer for each and no "
                 "memory holds them: use coo"));
    }
}

TEST_CASE("lists of shapes with huge extents are checked without an overflow") {
    const Tensor<float> one({1}, {3});
    const MaskedTensor<float> last = MaskedTensor<float>::coo({most}, {{most - 1}}, {3});
    CHECK((*last.index())[0] == most - 1);
    CHECK_THROWS_MATCHES(AnyMasked::coo({power(40), power(40), 0}, {{power(39)}, {power(39)}, {0}}, one),
                         LayoutError,
                         Says("coo: index 0 in list 2 at position 0 is out of range for extent 0"));
    CHECK_THROWS_AS(AnyMasked::rows({0, most}, {0}, AnyTensor(DType::float32, {1, 0})), LayoutError);
    CHECK_THROWS_AS(AnyMasked::two_four({most, 4}, {}, Tensor<float>()), Error);
}

}  // namespace address_space_test
