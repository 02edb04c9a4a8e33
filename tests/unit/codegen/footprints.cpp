// SPDX-License-Identifier: MIT
#include "../../../codegen/tuning/search/footprint.hpp"
#include "../../../runtime/kernel/binding.hpp"

#include <algorithm>

#include "../../spec/both_ways.hpp"
#include "adagrad.hpp"

namespace footprints_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t rows = 16, columns = 64;

/// Elements that a strategy touches in 16 rows of 64 elements, some of which are specified.
struct Looked {
    Tensor<float> p = full<float>({rows, columns}, 1), s = full<float>({rows, columns}, 2);
    MaskedTensor<float> g;
    codegen::Footprint footprint;

    Looked(const Schedule& schedule, const MaskedTensor<float>& gradient) : g(gradient) {
        const Graph graph = describe(step<"looked">(state += square(grad), param -= grad / sqrt(state)));
        std::vector<Argument> arguments(3);
        const NamedArgument named[] = {{"param", p}, {"state", s}, {"grad", g}};
        kernel_calls::bind_names(signature_of(graph), named, arguments);
        footprint = codegen::footprint_of(graph, schedule, arguments);
    }
    std::int64_t loaded() const { return std::ranges::count(footprint.loaded, true); }
    std::int64_t stored() const { return std::ranges::count(footprint.stored, true); }
};

MaskedTensor<float> three_elements(Layout layout) {
    Tensor<bool> mask({rows, columns});
    for (const std::int64_t position : {5, 6, 700}) mask.data()[position] = true;
    return MaskedTensor<float>(masked(full<float>({rows, columns}, 3), mask).to(layout));
}

}  // namespace

TEST_CASE("each strategy loads and stores what it says, and the arguments stay", "[codegen]") {
    const std::pair<const char*, std::int64_t> known[] = {{"blend", rows * columns},
                                                          {"skip tile=64", 2 * 64},
                                                          {"skip tile=256", 2 * 256},
                                                          {"lines", 2 * line_elements},
                                                          {"gather", 3},
                                                          {"predicate", 3},
                                                          {"segments", 3}};
    for (const auto& [text, elements] : known) {
        const Looked looked(schedule(text), three_elements(Layout::bitmask));
        INFO(text);
        CHECK(looked.loaded() == elements);
        CHECK(looked.stored() == elements);
        CHECK((looked.footprint.stored[5] && looked.footprint.stored[6] && looked.footprint.stored[700]));
        CHECK(same(looked.p, full<float>({rows, columns}, 1)));
        CHECK(same(looked.s, full<float>({rows, columns}, 2)));
    }
}

TEST_CASE("what loops read of masks and lists is counted by its name", "[codegen]") {
    using Read = std::map<std::string, std::int64_t>;
    CHECK(Looked(schedule("blend"), three_elements(Layout::bitmask)).footprint.read ==
          Read{{"grad", rows * columns}, {"grad's words", rows}});
    CHECK(Looked(schedule("bytes"), three_elements(Layout::strided)).footprint.read ==
          Read{{"grad", 2 * 64}, {"grad's mask", 2 * 64}, {"bytes", rows * columns / 8}});
    CHECK(Looked(schedule("segments"), three_elements(Layout::bitmask)).footprint.read ==
          Read{{"grad", 3}, {"segments", 4}});
    CHECK(Looked(schedule("gather"), three_elements(Layout::coo)).footprint.read ==
          Read{{"grad", 3}, {"positions", 3}});
    Tensor<float> values({2, columns}, std::vector<float>(2 * columns, 1));
    const auto two_rows = MaskedTensor<float>::rows({rows, columns}, {3, 9}, values);
    CHECK(Looked(schedule("rows"), two_rows).footprint.read == Read{{"grad", 2 * columns}, {"rows", 2}});
}

}  // namespace footprints_test
