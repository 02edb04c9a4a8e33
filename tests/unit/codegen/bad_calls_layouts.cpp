// SPDX-License-Identifier: MIT
#include "bad_calls.hpp"

#include <cstdlib>

namespace bad_calls_layouts_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Lists = std::vector<std::vector<std::int64_t>>;

template <class E, class Make>
void refuses_to_make(Make&& make, const std::string& sentence) {
    INFO(sentence);
    CHECK_THROWS_MATCHES(make(), E, Says(sentence));
}

}  // namespace

TEST_CASE("lists of coo and rows are refused where they do not fit the shape", "[codegen]") {
    const Tensor<float> one = random_tensor({1}), two = random_tensor({2});
    const auto coo = [](const Lists& lists, const Tensor<float>& values) {
        return [=] { return AnyMasked::coo({2, 4}, lists, values); };
    };
    refuses_to_make<LayoutError>(coo({{0}, {4}}, one),
                                 "coo: index 4 in list 1 at position 0 is out of range for extent 4");
    refuses_to_make<LayoutError>(coo({{0, -1}, {3, 3}}, two),
                                 "coo: index -1 in list 0 at position 1 is out of range for extent 2");
    refuses_to_make<LayoutError>(coo({{0}}, one),
                                 "coo: 1 lists of indices for shape [2, 4]: give one list for each "
                                 "of its 2 dimensions");
    refuses_to_make<LayoutError>(coo({{0, 1}, {3}}, two),
                                 "coo: list 1 has 1 indices, list 0 has 2: give one index "
                                 "in each list for each stored element");
    refuses_to_make<LayoutError>(coo({{0}, {3}}, two),
                                 "coo: the values have shape [2], the lists have 1 indices: "
                                 "give values of shape [1]");
    const auto rows = [](const std::vector<std::int64_t>& numbers, const Shape& values, const Shape& shape) {
        return [=] { return AnyMasked::rows(shape, numbers, random_tensor(values)); };
    };
    refuses_to_make<LayoutError>(rows({2}, {1, 4}, {2, 4}),
                                 "rows: row number 2 at position 0 is out of range for extent 2");
    refuses_to_make<LayoutError>(rows({0, -1}, {2, 4}, {2, 4}),
                                 "rows: row number -1 at position 1 is out of range for extent 2");
    refuses_to_make<LayoutError>(rows({1}, {1, 3}, {2, 4}),
                                 "rows: the values have shape [1, 3], 1 indices want "
                                 "[1, 4]: give one entry for each index");
    refuses_to_make<LayoutError>(rows({}, {0}, {}),
                                 "rows: a tensor of shape [] has no rows: use another layout");
}

TEST_CASE("masks and words are refused where they do not fit the values", "[codegen]") {
    const Tensor<float> values = random_tensor({2, 4});
    refuses_to_make<ShapeError>(
        [&] { return masked(values, Tensor<bool>({2, 5})); },
        "masked: the mask has shape [2, 5], the values have [2, 4]: the mask broadcasts to "
        "the values, never the reverse");
    refuses_to_make<DTypeError>(
        [&] { return AnyMasked::strided(values, Tensor<std::uint8_t>({2, 4})); },
        "masked: the mask has dtype uint8, wanted bool: compare with something, or convert it");
    refuses_to_make<LayoutError>(
        [&] { return AnyMasked::bitmask(random_tensor({65}), Tensor<std::int64_t>({1})); },
        "bitmask: 1 words hold the bits of 64 elements, shape [65] has 65: give 2 words");
    refuses_to_make<DTypeError>([&] { return AnyMasked::bitmask(values, Tensor<std::int32_t>({2})); },
                                "bitmask: the words have dtype int32, wanted int64: give 64 bits a word");
}

TEST_CASE("memory of the user's is refused where there is none, or where strides do not fit", "[codegen]") {
    refuses_to_make<ValueError>(
        [] { return Tensor<float>::view(nullptr, {2, 4}); },
        "view: the data is a null pointer, shape [2, 4] has 8 elements: give it memory");
    float one = 1;
    refuses_to_make<ShapeError>(
        [&] { return Tensor<float>::view(&one, {1, 1}, {1}); },
        "view: shape [1, 1] has 2 dimensions, strides [1] have 1: give one stride for each "
        "dimension");
    refuses_to_make<ShapeError>([&] { return Tensor<float>::view(&one, {-1}); },
                                "shape [-1] has extent -1: extents are 0 or more");
    CHECK_NOTHROW(Tensor<float>::view(nullptr, {0, 4}));
}

TEST_CASE("a target that is unknown is refused with the names there are", "[codegen]") {
    const Graph& graph = Adagrad::step().graph;
    const std::string names =
        "there are cpu, x86-64, x86-64-avx2, x86-64-avx512, arm-64, opencl, cuda, vulkan";
    refuses_to_make<TargetError>([&] { return jit(graph, TargetName{"gpu"}); },
                                 "target: there is no target \"gpu\": " + names);
    setenv("FRISKET_TARGET", "abacus", 1);
    refuses_to_make<TargetError>([&] { return jit(graph); },
                                 "target: there is no target \"abacus\": " + names);
    CHECK_NOTHROW(jit(graph, TargetName{"cpu"}));
    unsetenv("FRISKET_TARGET");
    CHECK_NOTHROW(jit(graph));
}

TEST_CASE("a target that this machine lacks is refused with those it has", "[codegen]") {
#if defined(__x86_64__)
    const char* other = "arm-64";
    const char* own = ": this machine has cpu, x86-64";
#else
    const char* other = "x86-64";
    const char* own = ": this machine has cpu";
#endif
    const auto begins = Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith(
        "frisket: target " + std::string(other) + ": this machine's processor is of another kind" + own));
    CHECK_THROWS_MATCHES(jit(Adagrad::step().graph, TargetName{other}), TargetError, begins);
}

}  // namespace bad_calls_layouts_test
