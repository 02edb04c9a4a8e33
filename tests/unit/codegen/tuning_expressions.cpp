// SPDX-License-Identifier: MIT
#include <frisket/codegen.hpp>
#include <frisket/tune.hpp>

#include <algorithm>
#include <iostream>
#include <random>

#include "../../../codegen/loops/known_calls.hpp"
#include "../../spec/both_ways.hpp"
#include "../../support/child.hpp"
#include "../../support/folder.hpp"
#include "../../support/random.hpp"

namespace tuning_expressions_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

Tensor<float> numbers(const Shape& shape, std::uint64_t seed) { return random_tensor<float>(shape, seed); }

MaskedTensor<float> some(const Shape& shape) {
    return MaskedTensor<float>(random_masked<float>(shape, specified(0.4), Layout::strided, 5));
}

/// Checks that a search has tried something, and that all of it returned the default's bytes.
void check_all_right(const TuneResult& result) {
    INFO(result.step);
    CHECK(result.candidates.size() >= 2);
    CHECK(result.default_s > 0);
    CHECK(result.usual == Strategy::expression);
    CHECK_FALSE(result.keys.empty());
    CHECK((!result.schedule || result.gain >= 1.05));
    for (const Candidate& candidate : result.candidates) {
        INFO(to_string(candidate.schedule));
        CHECK(candidate.rejected.empty());
    }
}

/// True if some candidate differs from the default in a knob.
bool tries(const TuneResult& result, std::string_view knob) {
    return std::ranges::any_of(result.candidates, [&](const Candidate& candidate) {
        return to_string(candidate.schedule).find(" " + std::string(knob) + "=") != std::string::npos;
    });
}

/// Every knob by which a schedule may differ, one at a time.
std::vector<Schedule> each_knob() {
    std::vector<Schedule> all;
    for (const char* text :
         {"vector=2", "vector=64", "grain=64", "grain=1048576", "product_vectors=1", "product_vectors=4",
          "product_rows=1", "product_rows=16", "transposed_columns=16", "transposed_columns=256",
          "transposed_rows=4", "transposed_rows=64", "inlined=1", "inlined=2048", "row_stages=apart"})
        all.push_back(schedule("expression " + std::string(text)));
    return all;
}

}  // namespace

TEST_CASE("every schedule of an expression gives the default's bytes", "[.full]") {
    const TuneOptions options{.seconds = 60, .schedules = each_knob(), .database = "off"};
    const auto all_right = [&](const auto& expression) {
        TuneOptions checked = options;
        // Compiled and checked; little time is left to the race.
        checked.is_stopped = [turns = 0]() mutable { return ++turns > 400; };
        check_all_right(tune(expression, checked));
    };
    // 400 x 350 elements are enough for threads, and no number of them divides a vector or a tile.
    const Tensor<float> x = numbers({401, 350}, 1), y = numbers({401, 350}, 2), z = numbers({350, 401}, 3);
    const MaskedTensor<float> m = some({401, 350});
    all_right(m * x + y);
    all_right(sigmoid(x) * tanh(y));
    all_right(transpose(z, 0, 1) + x);
    all_right(sum(m * x, 1));
    all_right(softmax(m, 1));
    all_right(cumsum(x, 1));
    all_right(matmul(x, z));
    all_right(softmax(matmul(x, z), 1));
    all_right(matmul(softmax(matmul(x, z), 1), x));
    const auto shared = exp(x) * y;
    all_right(shared + sum(shared, {1}, keepdim) * shared);
    all_right(matmul(cast<double>(x), cast<double>(z)));
}

TEST_CASE("a search tries what an expression's loops have", "[codegen]") {
    const Tensor<float> x = numbers({400, 350}, 1), z = numbers({350, 400}, 3);
    int made = 0;
    TuneOptions options{.seconds = 60, .database = "off"};
    options.progress = [&](const TuneProgress& progress) { made = progress.candidates; };
    options.is_stopped = [&] { return made >= 8; };
    const TuneResult sums = tune(x + 1.0f, options);
    check_all_right(sums);
    CHECK(tries(sums, "vector"));
    CHECK(tries(sums, "grain"));
    CHECK_FALSE(tries(sums, "product_rows"));
    CHECK_FALSE(tries(sums, "row_stages"));
    CHECK(to_string(sums.call) == "dense, 2^17 elements, rows of 2^17");
    CHECK(tries(tune(matmul(x, z), options), "product_rows"));
    CHECK(tries(tune(transpose(z, 0, 1) + x, options), "transposed_rows"));
    CHECK(tries(tune(softmax(x, 1), options), "row_stages"));
}

TEST_CASE("schedules of steps are not for expressions, nor theirs for steps", "[codegen]") {
    const Tensor<float> x = numbers({40, 35}, 1);
    const auto says = [](const char* text) { return Catch::Matchers::ContainsSubstring(text); };
    CHECK_THROWS_MATCHES(eval(x + 1.0f, {.schedule = schedule("skip")}), ScheduleError,
                         Catch::Matchers::MessageMatches(says("was given for an expression")));
    CHECK_THROWS_AS(tune(x + 1.0f, {.schedules = {schedule("dense")}, .database = "off"}), ScheduleError);
    CHECK_THROWS_MATCHES(
        jit(describe(step<"one">(InOut<"p">{} += 1.0f)), schedule("expression vector=4")), ScheduleError,
        Catch::Matchers::MessageMatches(says("it is for expressions, and was given for a step")));
    CHECK_THROWS_AS(eval(x + 1.0f, {.jit = Jit::never, .schedule = schedule("expression")}), ValueError);
    CHECK(same(eval(x + 1.0f, {.schedule = schedule("expression vector=4 grain=1024")}), eval(x + 1.0f)));
}

namespace {

/// The value of an expression by compiled loops, with a fault: the lowest bit of an element of a result, or
/// of its mask, is another from some evaluation on; or a result is one element shorter.
struct FaultyEvaluation {
    enum class Kind : std::uint8_t { element, mask, shape };
    std::function<std::vector<Result>()> evaluate;
    Kind kind;
    std::uint64_t random;
    int from_call;
    std::shared_ptr<int> calls = std::make_shared<int>(0);

    std::vector<Result> operator()(std::span<const Argument> /*arguments*/) const {
        std::vector<Result> results = evaluate();
        if (++*calls <= from_call) return results;
        Result& result = results[0];
        // An element that is specified, as unspecified elements are nothing's.
        auto at = static_cast<std::int64_t>(random % static_cast<std::uint64_t>(result.values.size()));
        const auto* const mask = result.mask ? static_cast<const bool*>(result.mask->data()) : nullptr;
        while (mask != nullptr && !mask[at]) at = (at + 1) % result.values.size();
        if (kind == Kind::mask && mask != nullptr) {
            result.mask = result.mask->clone();
            static_cast<bool*>(result.mask->data())[at] = false;
        } else if (kind == Kind::shape) {
            const std::int64_t rows = result.values.shape()[0];
            result = {result.values.slice(0, 0, rows - 1), {}, {}};
        } else {
            static_cast<unsigned char*>(result.values.data())[at * 4] ^= 1U;
        }
        return results;
    }
};

template <class E>
std::vector<Result> results_of(const E& expression) {
    return frisket::detail::run(EvalOptions{.jit = Jit::always}, expression);
}

/// Number of faulty evaluations that were taken for the fastest, of `each` for each of five expressions.
int accept_faulty(int each) {
    std::mt19937_64 random(5);
    int accepted = 0;
    const auto accept = [&](const auto& expression) {
        TuneOptions options{.seconds = 1, .schedules = {schedule("expression")}, .database = "off"};
        for (int i = 0; i < each; ++i) {
            const FaultyEvaluation fault{.evaluate = [&] { return results_of(expression); },
                                         .kind = static_cast<FaultyEvaluation::Kind>(i % 3),
                                         .random = random(),
                                         .from_call = i % 4 == 0 ? 1 + static_cast<int>(random() % 40) : 0};
            Schedule mark = default_schedule(Strategy::expression);
            mark.tile = 1000 + i;  // no other has it
            options.others.push_back({mark, TrialLoops(TrialLoops::Evaluate(fault))});
        }
        const TuneResult result = tune(expression, options);
        accepted += result.schedule && result.schedule->tile >= 1000;
        // One whose fault begins with its first evaluation is seen before it is timed.
        for (const Candidate& candidate : result.candidates)
            if (const int i = candidate.schedule.tile - 1000; i >= 0 && i % 4 != 0) {
                INFO("fault " << i);
                CHECK_FALSE(candidate.rejected.empty());
            }
    };
    const Tensor<float> x = numbers({401, 350}, 1), y = numbers({401, 350}, 2), z = numbers({350, 401}, 3);
    accept(x * y + 1.0f);
    accept(some({401, 350}) * x);
    accept(matmul(x, z));
    accept(softmax(some({401, 350}), 1));
    accept(transpose(z, 0, 1) + x);
    return accepted;
}

}  // namespace

TEST_CASE("evaluations that alter one element, or a mask, or a shape are never taken", "[codegen]") {
    CHECK(accept_faulty(4) == 0);
}

TEST_CASE("of two hundred evaluations with a fault none is taken", "[.full]") {
    CHECK(accept_faulty(48) == 0);
}

TEST_CASE("an expression's default's equals are taken for faster in at most 5 of 100 races", "[.full]") {
    int wins = 0, races = 0;
    const auto race = [&](const auto& expression) {
        const TuneOptions options{
            .seconds = 0.5, .schedules = {8, schedule("expression")}, .database = "off"};
        for (int i = 0; i < 25; ++i, ++races) wins += tune(expression, options).schedule.has_value();
    };
    const Tensor<float> x = numbers({300, 200}, 1), y = numbers({2000, 700}, 2), z = numbers({200, 300}, 3);
    race(x + 1.0f);
    race(y * 2.0f + 1.0f);
    race(softmax(y, 1));
    race(matmul(x, z));
    std::cout << "taken for faster: " << wins << " of " << races << "\n";
    CHECK(wins * 20 <= races);
}

namespace {

/// The text of plans of three sums: with extents like the tuned extents, with larger extents, with other
/// tensors.
void print_plans() {
    const auto plan = [](const auto& expression) {
        std::cout << explain(expression, Run::yes, {.jit = Jit::always});
    };
    std::cout << "alike\n";
    plan(numbers({300, 200}, 1) * 3.0f + numbers({300, 200}, 2));
    std::cout << "larger\n";
    plan(numbers({600, 400}, 1) * 2.0f + numbers({600, 400}, 2));
    std::cout << "masked\n";
    plan(some({300, 200}) * 2.0f + numbers({300, 200}, 2));
}

}  // namespace

namespace {

/// Stores vectors of 4 as the schedule of an expression; returns the number of bodies that it was stored for.
template <class E>
std::size_t keep_short_vectors(const E& expression) {
    TuneResult result = tune(expression, {.seconds = 0.2, .schedules = {schedule("expression vector=4")}});
    result.schedule = schedule("expression vector=4");
    result.gain = 2;
    keep(result);
    return result.keys.size();
}

/// True if a call was a known one; it is right in any case.
template <class E>
bool is_known(const E& expression, const EvalOptions& options) {
    const std::size_t before = codegen::known_calls_found();
    const auto made = eval(expression, options);
    const std::size_t after = codegen::known_calls_found();
    CHECK(same(made, eval(expression, {.jit = Jit::never})));
    return after > before;
}

/// Checks that a call is a new one, and known when it comes for the third time.
template <class E>
void check_new(const E& expression, const EvalOptions& options) {
    CHECK_FALSE(is_known(expression, options));
    CHECK_FALSE(is_known(expression, options));
    CHECK(is_known(expression, options));
}

}  // namespace

TEST_CASE("a known call has the schedule that was asked for", "[codegen]") {
    const auto expression = numbers({61, 70}, 1) * 2.0f + numbers({61, 70}, 2);
    for (const char* text : {"vector=4", "vector=2", "vector=4 grain=1024", "inlined=16"}) {
        const EvalOptions by_hand{.jit = Jit::always,
                                  .schedule = schedule("expression " + std::string(text))};
        INFO(to_string(*by_hand.schedule));
        check_new(expression, by_hand);
        CHECK(count_of(explain(expression, Run::yes, by_hand),
                       "   knobs  " + to_string(*by_hand.schedule) + "\n") == 1);
    }
    check_new(expression, {.jit = Jit::always});
}

TEST_CASE("child: calls are known before tuning finds something", "[.]") {
    const EvalOptions compiled{.jit = Jit::always};
    const auto expression = numbers({310, 190}, 1) * 2.0f + numbers({310, 190}, 2);
    check_new(expression, compiled);
    CHECK(keep_short_vectors(expression) == 1);
    std::cout << "kept" << std::endl;
    check_new(expression, compiled);
}

TEST_CASE("calls that are known take what tuning finds from then on", "[codegen]") {
    const Folder folder;
    const ChildResult child = run_child("child: calls are known before tuning finds something",
                                        "FRISKET_SHOW=schedule FRISKET_TUNING_DB=" + (folder / "tuning.db"));
    INFO(child.output);
    CHECK(child.status == 0);
    const auto kept = child.output.find("kept\n");
    REQUIRE(kept != std::string::npos);
    CHECK(count_of(child.output.substr(kept), "expression vector=4") == 1);  // compiled for eval
}

TEST_CASE("child: keeps what was found for an expression of two stages", "[.]") {
    const Tensor<float> x = numbers({128, 128}, 1), y = numbers({128, 128}, 2);
    const auto expression = matmul(x, exp(matmul(x, y)));
    CHECK(keep_short_vectors(expression) == 2);
    std::cout << explain(expression, Run::yes, {.jit = Jit::always});
    CHECK(same(eval(expression, {.jit = Jit::always}), eval(expression, {.jit = Jit::never})));
}

TEST_CASE("what is found for an expression of several stages is that of each", "[codegen]") {
    const Folder folder;
    const ChildResult child = run_child("child: keeps what was found for an expression of two stages",
                                        "FRISKET_TUNING_DB=" + (folder / "tuning.db"));
    INFO(child.output);
    CHECK(child.status == 0);
    CHECK(count_of(child.output, "   knobs  expression vector=4, as tuning found\n") == 2);
}

TEST_CASE("child: keeps what was found for an expression", "[.]") {
    CHECK(keep_short_vectors(numbers({310, 190}, 1) * 2.0f + numbers({310, 190}, 2)) == 1);
    print_plans();
}

TEST_CASE("child: expressions whose like were tuned", "[.]") { print_plans(); }

TEST_CASE("what is found for an expression is taken for its like, now and by later processes", "[codegen]") {
    const Folder folder;
    for (const char* test :
         {"child: keeps what was found for an expression", "child: expressions whose like were tuned"}) {
        const ChildResult child = run_child(test, "FRISKET_TUNING_DB=" + (folder / "tuning.db"));
        INFO(child.output);
        CHECK(child.status == 0);
        CHECK(count_of(child.output, "knobs  expression vector=4, as tuning found") == 1);
        const auto found = child.output.find("as tuning found");
        CHECK(found > child.output.find("alike"));
        CHECK(found < child.output.find("larger"));
    }
    const ChildResult off = run_child("child: expressions whose like were tuned", "FRISKET_TUNING_DB=off");
    CHECK(count_of(off.output, "as tuning found") == 0);
}

}  // namespace tuning_expressions_test
