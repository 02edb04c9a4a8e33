// SPDX-License-Identifier: MIT
#include "../../../runtime/io/tensor_files.hpp"
#include "../../../runtime/kernel/strategy.hpp"
#include "../../support/matchers.hpp"

namespace numbers_as_enums_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("a number that is no dtype is refused by whatever takes a dtype") {
    const int number = GENERATE(8, 99, 255);
    const auto dtype = static_cast<DType>(number);
    const Tensor<float> x({2, 3});
    float memory[6] = {};
    const auto refuses = [&](const auto& use) {
        CHECK_THROWS_MATCHES(
            use(), DTypeError,
            Says("dtype: number " + std::to_string(number) +
                 " was cast to a dtype and is none: use one of bool, uint8, int32, int64, float32, "
                 "float64, float16, bfloat16"));
    };
    refuses([&] { (void)AnyTensor(dtype, {2}); });
    refuses([&] { (void)AnyTensor(dtype, {0}); });
    refuses([&] { (void)AnyTensor(dtype, memory, {6}, {1}, true, {}); });
    refuses([&] { (void)AnyTensor(dtype, nullptr, {0}, {1}, true, {}); });
    refuses([&] { (void)static_cast<const AnyTensor&>(x).to(dtype); });
    refuses([&] { (void)name_of(dtype); });
    refuses([&] { (void)bytes_of(dtype); });
    refuses([&] { (void)info_of(dtype); });
    refuses([&] { (void)compute_dtype(dtype); });
    refuses([&] { dispatch(dtype, []<class T>() {}); });
}

TEST_CASE("a number that is no layout is refused by whatever takes a layout") {
    const int number = GENERATE(11, 99, 255);
    const auto layout = static_cast<Layout>(number);
    const AnyMasked x = AnyMasked::dense(AnyTensor(DType::float32, {4, 4}));
    const auto refuses = [&](const auto& use) {
        CHECK_THROWS_MATCHES(use(), LayoutError,
                             MessageMatches(ContainsSubstring("number " + std::to_string(number) +
                                                              " was cast to a layout and is none: use one "
                                                              "of dense, strided, bitmask, coo")));
    };
    refuses([&] { (void)x.to(layout); });
    refuses([&] { (void)x.to(layout, Blocksize{2, 2}); });
    refuses([&] { (void)name_of(layout); });
    refuses([&] { (void)MaskedTensor<float>(x).to(layout); });
    const std::vector<std::int64_t> none;
    refuses([&] {
        (void)AnyMasked::indexed(layout, {4}, std::make_shared<const IndexList>(none, 4), AnyTensor());
    });
}

TEST_CASE("a number that is no strategy is refused") {
    const auto strategy = static_cast<Strategy>(GENERATE(strategy_count + 1, 99, 255));
    CHECK_THROWS_MATCHES(name_of(strategy), ScheduleError,
                         MessageMatches(ContainsSubstring("was cast to a strategy and is none")));
}

}  // namespace numbers_as_enums_test
