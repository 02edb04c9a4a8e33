// SPDX-License-Identifier: MIT
#include "both_ways.hpp"

#include <catch2/catch_template_test_macros.hpp>

namespace memory_beside_is_untouched_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A masked tensor whose parts are in guarded memory of their own.
template <class T>
class GuardedMasked {
public:
    GuardedMasked(const AnyMasked& made, Place place) {
        const AnyTensor values = guard<T>(made.values(), place);
        if (made.layout() == Layout::strided) {
            const AnyTensor mask = guard<bool>(made.mask(), {place.misalignment / 4, place.at_page_end});
            masked_ = AnyMasked::strided(values, mask);
        } else if (made.layout() == Layout::bitmask) {
            const AnyTensor words =
                guard<std::int64_t>(made.mask(), {place.misalignment * 2, place.at_page_end});
            masked_ = AnyMasked::bitmask(values, words);
        } else if (made.layout() == Layout::dense) {
            masked_ = AnyMasked::dense(values);
        } else {
            masked_ = AnyMasked::indexed(made.layout(), made.shape(), made.index(), values);
        }
    }
    const AnyMasked& masked() const { return masked_; }
    bool is_intact() const {
        return std::all_of(intact_.begin(), intact_.end(), [](const auto& check) { return check(); });
    }

private:
    template <class Element>
    AnyTensor guard(const AnyTensor& elements, Place place) {
        const Guarded<Element> guarded(Tensor<Element>(elements.clone()), place);
        intact_.push_back([guarded] { return guarded.is_intact(); });
        return guarded.tensor();
    }

    AnyMasked masked_;
    std::vector<std::function<bool()>> intact_;
};

}  // namespace

TEMPLATE_TEST_CASE("loops touch no byte beside their tensors, at any alignment and at the end of a page",
                   "[spec]", float, double) {
    static constexpr InOut<"param", TestType> param{};
    static constexpr InOut<"state", TestType> state{};
    static constexpr Masked<"grad", TestType> grad{};
    static constexpr In<"weight", TestType> weight{};
    static const Compared step(
        frisket::step<"guarded">(state += square(grad), param -= weight * grad / (sqrt(state) + 0.5)));
    constexpr int size = sizeof(TestType);
    const Place places[] = {{},
                            {.misalignment = size},
                            {.misalignment = 3 * size},
                            {.misalignment = 64 - size},
                            {.at_page_end = true}};
    std::uint32_t seed = 1;
    for (const Storage& stored : every_storage)
        for (const Shape& shape : {Shape{1}, Shape{5}, Shape{63}, Shape{64}, Shape{65}, Shape{130},
                                   Shape{1003}, Shape{20011}, Shape{37, 3}, Shape{21, 17}})
            for (std::size_t i = 0; i < std::size(places); ++i) {
                const GuardedMasked<TestType> gradient(
                    wild_masked<TestType>(shape, specified(i % 2 == 0 ? 0.5 : 0.02), stored, ++seed),
                    places[i]);
                const Guarded<TestType> read(wild_tensor<TestType>(shape, seed),
                                             places[(i + 1) % std::size(places)]);
                const std::string difference =
                    Trial(step)
                        .writes("param", wild_target<TestType>(gradient.masked(), seed), {.place = places[i]})
                        .writes("state", wild_target<TestType>(gradient.masked(), seed + 1),
                                {.place = places[(i + 2) % std::size(places)]})
                        .reads("grad", gradient.masked())
                        .reads("weight", read.tensor())
                        .difference();
                INFO(stored.name << ", shape " << to_string(shape) << ", place " << i);
                if (!difference.empty()) CHECK(difference == "");
                CHECK((gradient.is_intact() && read.is_intact()));
            }
}

TEST_CASE("a view of strides touches nothing between its elements nor past its page", "[spec]") {
    constexpr InOut<"param"> param;
    constexpr Masked<"grad"> grad;
    const Compared step(frisket::step<"between">(param += grad * 2.0));
    for (const Storage& stored : every_storage)
        for (const Place& place : {Place{}, Place{.misalignment = 4}, Place{.at_page_end = true}}) {
            const AnyMasked gradient = wild_masked<float>({33, 5}, specified(0.5), stored, 40);
            const Lies lies{.place = place, .seen_as = [](const AnyTensor& tensor) {
                                return tensor.slice(0, 1, 34).slice(1, 2, 12, 2).slice(1, 0, 5);
                            }};
            const Lies transposed{.place = place, .seen_as = [](const AnyTensor& tensor) {
                                      return tensor.slice(0, 2, 7).transpose(0, 1);
                                  }};
            INFO(stored.name << ", misalignment " << place.misalignment);
            CHECK(Trial(step)
                      .writes("param", wild_tensor<float>({34, 12}, 41), lies)
                      .reads("grad", gradient)
                      .difference() == "");
            CHECK(Trial(step)
                      .writes("param", wild_tensor<float>({7, 33}, 42), transposed)
                      .reads("grad", gradient)
                      .difference() == "");
        }
}

}  // namespace memory_beside_is_untouched_test
