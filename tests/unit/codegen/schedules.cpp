// SPDX-License-Identifier: MIT
#include "../../spec/both_ways.hpp"
#include "adagrad.hpp"

#include "../../../codegen/loops/schedule.hpp"

namespace schedules_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Fault of a call of a kernel with a schedule, or an empty text.
std::string call(std::string_view text, const AnyMasked& gradient) {
    const Graph graph = describe(adagrad);
    const Compared compared(graph, jit(graph, schedule(text)));
    return Trial(compared)
        .writes("param", wild_target<float>(gradient, 1))
        .writes("state", wild_target<float>(gradient, 2))
        .reads("grad", gradient)
        .difference();
}

AnyMasked gradient(const Shape& shape, Layout layout, double density) {
    return wild_masked<float>(shape, specified(density), {.layout = layout, .name = "stored"}, 3);
}

}  // namespace

TEST_CASE("a schedule reads as it is written, and knobs that are left out are the default's", "[codegen]") {
    for (const StrategyInfo& row : strategies) {
        const Schedule made = default_schedule(row.strategy);
        CHECK(schedule(to_string(made)) == made);
        CHECK(schedule(row.name) == made);
        CHECK(schedule(to_string(resolved(made, 16))) == resolved(made, 16));
    }
    const Schedule of_expression = schedule("expression vector=8 row_stages=apart product_rows=4");
    CHECK(of_expression.vector == 8);
    CHECK(of_expression.product_rows == 4);
    CHECK(of_expression.row_stages == RowStages::apart);
    CHECK(to_string(of_expression) == "expression vector=8 product_rows=4 row_stages=apart");
    CHECK(to_string(default_schedule(Strategy::expression)) == "expression");
    CHECK_THROWS_AS(schedule("expression row_stages=1"), ScheduleError);
    CHECK_THROWS_AS(schedule("expression tile=64"), ScheduleError);
    const Schedule asked = schedule("skip tile=256 vector=16 grain=4096");
    CHECK(asked.tile == 256);
    CHECK(asked.vector == 16);
    CHECK(asked.grain == 4096);
    CHECK(to_string(asked) == "skip tile=256 vector=16 grain=4096");
    CHECK(schedule("  rows   tail=predicate ") == schedule("rows tail=predicate"));
}

TEST_CASE("a text that is no schedule is refused with what is legal", "[codegen]") {
    const auto says = [](const char* text) { return Says(text); };
    CHECK_THROWS_MATCHES(
        schedule(""), ScheduleError,
        says("schedule \"\": it begins with \"\", wanted a strategy: dense, blend, skip, "
             "predicate, bytes, gather, lines, segments, rows, strided, strided_bits, strided_lists; "
             "for an expression: expression"));
    CHECK_THROWS_MATCHES(
        schedule("jump vector=8"), ScheduleError,
        says("schedule \"jump vector=8\": it begins with \"jump\", wanted a strategy: dense, blend, skip, "
             "predicate, bytes, gather, lines, segments, rows, strided, strided_bits, strided_lists; "
             "for an expression: expression"));
    CHECK_THROWS_MATCHES(
        schedule("gather vector=8"), ScheduleError,
        says("schedule \"gather vector=8\": gather has no knob \"vector\": it takes unroll=1 to 16 by powers "
             "of two (vectors (of gather: entries of the list) that one turn of the inner loop takes); "
             "grain=64 to 16777216 by powers of two (elements (of gather: entries of the list) of a parallel "
             "task); block=64 to 1024 by powers of two (elements that a block of threads takes, on devices "
             "alone)"));
    CHECK_THROWS_MATCHES(schedule("blend vector=12"), ScheduleError,
                         says("schedule \"blend vector=12\": vector is \"12\", wanted vector=1 to 64 by "
                              "powers of two"));
    CHECK_THROWS_MATCHES(schedule("rows tail=8"), ScheduleError,
                         says("schedule \"rows tail=8\": tail is \"8\", wanted tail=guard or predicate"));
    CHECK_THROWS_MATCHES(schedule("blend vector=16 unroll=8"), ScheduleError,
                         says("schedule \"blend vector=16 unroll=8\": vector=16 times unroll=8 is 128 "
                              "elements, a word of the mask has 64: give less of one"));
    CHECK_THROWS_MATCHES(schedule("lines vector=32"), ScheduleError,
                         says("schedule \"lines vector=32\": vector=32 is more than a line has: give 16 or "
                              "less"));
    CHECK_THROWS_MATCHES(schedule("skip tile=512 grain=256"), ScheduleError,
                         says("schedule \"skip tile=512 grain=256\": grain=256 is less than tile=512: a task "
                              "is one tile or more"));
    for (const char* text : {"skip vector", "skip vector=", "skip =8", "skip vector=8x", "skip vector=-8"})
        CHECK_THROWS_AS(schedule(text), ScheduleError);
}

TEST_CASE("a block is of devices, and processors say what they have instead", "[codegen]") {
    CHECK(schedule("skip vector=4 block=256").block == 256);
    CHECK(to_string(schedule("gather block=128")) == "gather block=128");
    CHECK_THROWS_AS(schedule("skip block=32"), ScheduleError);
    CHECK_THROWS_MATCHES(jit(describe(adagrad), schedule("skip block=128")), ScheduleError,
                         Says("schedule \"skip block=128\": block says what the threads "
                              "of a device share, and loops of skip on target cpu have none: leave it out, "
                              "or name target opencl"));
}

TEST_CASE("every schedule writes the same bytes", "[codegen]") {
    const auto check = [](std::string_view text, const AnyMasked& given) {
        INFO(text << ", " << given.specified_count() << " of " << given.size());
        CHECK(call(text, given) == "");
    };
    for (const char* text :
         {"skip tile=128", "skip tile=256 vector=4 unroll=2", "skip tile=512 grain=512 vector=16",
          "skip vector=1", "blend vector=32 unroll=1", "blend vector=64 grain=64",
          "gather unroll=4 grain=256", "gather unroll=16", "lines vector=4 unroll=2",
          "lines vector=16 unroll=8 grain=128", "predicate", "predicate tile=256 vector=4", "segments",
          "segments vector=4 unroll=4 grain=64"})
        for (const std::int64_t size : {1, 64, 1003, 130001})
            for (const double density : {0.0, 0.01, 0.6, 0.99, 1.0})
                check(text, gradient({size}, Layout::bitmask, density));
    for (const char* text :
         {"bytes", "bytes tile=512 vector=4 unroll=1", "bytes tile=128 vector=32 unroll=2"})
        for (const std::int64_t size : {1, 64, 511, 512, 530, 1003, 130001})
            for (const double density : {0.0, 0.001, 0.6, 1.0})
                check(text, gradient({size}, Layout::strided, density));
    for (const char* text : {"rows vector=4 tail=predicate", "rows vector=16 unroll=2", "rows vector=1"})
        for (const std::int64_t length : {1, 7, 33, 128})
            check(text, gradient({300, length}, Layout::rows, 0.2));
    for (const char* text : {"dense vector=4 unroll=4", "dense vector=16 grain=1024"})
        check(text, gradient({130001}, Layout::dense, 1));
}

TEST_CASE("views of any strides take a schedule of their own", "[codegen]") {
    const Graph graph = describe(adagrad);
    const Lies transposed{.seen_as = [](const AnyTensor& tensor) { return tensor.transpose(0, 1); }};
    for (const char* text : {"strided tail=predicate vector=16", "strided grain=64"}) {
        const Compared compared(graph, jit(graph, schedule(text)));
        CHECK(Trial(compared)
                  .writes("param", wild_tensor<float>({200, 300}, 1), transposed)
                  .writes("state", wild_tensor<float>({200, 300}, 2), transposed)
                  .reads("grad", gradient({300, 200}, Layout::strided, 0.2))
                  .difference() == "");
    }
}

TEST_CASE("a schedule whose loops cannot walk what a call gives is refused, and nothing is written",
          "[codegen]") {
    const auto kernel = jit(adagrad, schedule("skip tile=256"));
    const Tensor<float> p = full<float>({2, 2}, 1), s = full<float>({2, 2}, 1);
    const auto g = MaskedTensor<float>::coo({2, 2}, {{0}, {1}}, {1});
    CHECK_THROWS_MATCHES(kernel(param = p, state = s, grad = g), ScheduleError,
                         Says("adagrad: the schedule asks for skip, whose loops cannot walk what this call "
                              "gives: for its layouts there are gather: name one of these, convert with "
                              "to(), or give no schedule"));
    CHECK_THROWS_MATCHES(
        jit(adagrad, schedule("bytes"))(param = p, state = s, grad = g.to(Layout::bitmask)), ScheduleError,
        Says("adagrad: the schedule asks for bytes, whose loops cannot walk what this call gives: for its "
             "layouts there are skip, blend, gather, lines, predicate, segments: name one of these, convert "
             "with to(), or give no schedule"));
    CHECK(same(p, full<float>({2, 2}, 1)));
    kernel(param = p, state = s, grad = g.to(Layout::bitmask));
    CHECK(s.at({0, 1}) == 2);
}

TEST_CASE("loops over rows are refused where another mask has no rows", "[codegen]") {
    constexpr InOut<"target"> target;
    constexpr Masked<"rows"> listed;
    constexpr Masked<"other"> other;
    constexpr auto both = step<"both">(target -= listed * to_dense(other, 1.0F));
    const Tensor<float> p = full<float>({1}, 1);
    const auto g = MaskedTensor<float>::rows({1}, {0}, Tensor<float>({1}, {0.5F}));
    const auto number = masked(full<float>({}, 2), full<bool>({}, true));
    CHECK_THROWS_MATCHES(jit(both, schedule("rows vector=16"))(target = p, listed = g, other = number),
                         ScheduleError,
                         Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(
                             "both: the schedule asks for rows, whose loops cannot walk")));
    CHECK(p.item() == 1);
    jit(both)(target = p, listed = g, other = number);
    CHECK(p.item() == 0);
}

}  // namespace schedules_test
