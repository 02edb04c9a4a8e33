// SPDX-License-Identifier: MIT
#include "oracle.hpp"

#include "../../codegen/jit/evaluate.hpp"
#include "../../ir/planner/executor/interpreted_stages.hpp"
#include "calls.hpp"
#include "formulas.hpp"
#include "noise.hpp"
#include "reached.hpp"

#include <cmath>
#include <cstring>
#include <sstream>

namespace fuzz {

namespace {

/// The element as it is compared: floats of 16 bits as float32.
template <class T>
using Seen = std::conditional_t<std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>, float, T>;

/// True if `found` may replace `wanted` without any noise: equal, or both NaN.
template <class T>
bool is_equal(T found, T wanted) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(found) && std::isnan(wanted)) return true;
    return found == wanted;
}

template <class T>
Seen<T> element_of(const AnyTensor& tensor, std::int64_t i) {
    typename runtime::Stored<T>::Type stored;
    std::memcpy(&stored, static_cast<const std::byte*>(tensor.data()) + i * bytes_of(tensor.dtype()),
                sizeof stored);
    return static_cast<Seen<T>>(runtime::Stored<T>::read(stored));
}

/// One result in row-major order: the loops', the interpreter's, and the latter's with noise.
struct Compared {
    Result found, wanted;
    std::vector<Result> noisy;
    std::optional<AnyTensor> before = {};
};

Result row_major(const Result& result) {
    Result made{result.values.clone()};
    if (result.mask) made.mask = result.mask->clone();
    return made;
}

bool is_specified(const Result& result, std::int64_t i) {
    return !result.mask || element_of<bool>(*result.mask, i);
}

enum class Verdict : std::uint8_t { exact, close, uncertain, wrong };

template <class T>
Verdict verdict_of(const Compared& all, std::int64_t i) {
    const auto found = element_of<T>(all.found.values, i), wanted = element_of<T>(all.wanted.values, i);
    const bool is_there = is_specified(all.wanted, i);
    const bool same_mask = is_specified(all.found, i) == is_there;
    if (same_mask && (!is_there || is_equal(found, wanted))) return Verdict::exact;
    for (const Result& other : all.noisy)
        if (is_specified(other, i) != is_there) return Verdict::uncertain;
    if (!same_mask) return Verdict::wrong;
    if constexpr (std::is_floating_point_v<Seen<T>>) {
        double spread = 0;
        for (const Result& other : all.noisy) {
            const auto moved = element_of<T>(other.values, i);
            if (!is_equal(std::isfinite(moved), std::isfinite(wanted))) return Verdict::uncertain;
            if (!is_equal(moved, wanted))
                spread = std::max(spread, std::abs(static_cast<double>(moved) - static_cast<double>(wanted)));
        }
        if (std::isnan(spread) || std::isinf(spread)) return Verdict::uncertain;
        const double distance = std::abs(static_cast<double>(found) - static_cast<double>(wanted));
        return distance <= 4 * spread ? Verdict::close : Verdict::wrong;
    } else {
        for (const Result& other : all.noisy)
            if (element_of<T>(other.values, i) != wanted) return Verdict::uncertain;
        return Verdict::wrong;
    }
}

/// Bytes that no update reached.  NaN that arithmetic makes may have any bits.
bool is_overwritten(const Compared& all, std::int64_t i) {
    if (!all.before) return false;
    const int bytes = bytes_of(all.before->dtype());
    const auto same = [&](const AnyTensor& a, const AnyTensor& b) {
        const auto* of_a = static_cast<const std::byte*>(a.data()) + i * bytes;
        return std::memcmp(of_a, static_cast<const std::byte*>(b.data()) + i * bytes,
                           static_cast<std::size_t>(bytes)) == 0;
    };
    if (!same(all.wanted.values, *all.before)) return false;
    for (const Result& other : all.noisy)
        if (!same(other.values, *all.before)) return false;
    const bool is_nan = dispatch(all.before->dtype(), [&]<class T>() {
        if constexpr (std::is_floating_point_v<Seen<T>>) return std::isnan(element_of<T>(*all.before, i));
        return false;
    });
    return !is_nan && !same(all.found.values, *all.before);
}

/// Hash of the index and the value of a specified element; 0 for an unspecified element.
template <class T>
std::uint64_t hash_of(const Result& result, std::int64_t i) {
    if (!is_specified(result, i)) return 0;
    const auto value = element_of<T>(result.values, i);
    std::uint64_t bits = 0;
    if (value == value) std::memcpy(&bits, &value, sizeof value);
    bits = (bits + static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15U;
    return bits ^ (bits >> 29U);
}

template <class T>
std::string text_of(const Result& result, std::int64_t i) {
    if (!is_specified(result, i)) return "--";
    std::ostringstream text;
    text.precision(17);
    text << +element_of<T>(result.values, i);
    return text.str();
}

std::string kind_of(const Result& result) {
    return std::string(result.mask ? "masked " : "dense ") + std::string(name_of(result.values.dtype())) +
           " " + to_string(result.values.shape());
}

void compare(const Compared& all, Comparison& judgement) {
    if (kind_of(all.found) != kind_of(all.wanted)) {
        judgement.fault = "is " + kind_of(all.found) + ", wanted " + kind_of(all.wanted);
        return;
    }
    for (const Result& other : all.noisy)
        if (kind_of(other) != kind_of(all.wanted)) {
            judgement.uncertain += all.wanted.values.size();
            return;
        }
    dispatch(all.wanted.values.dtype(), [&]<class T>() {
        for (std::int64_t i = 0; i < all.wanted.values.size(); ++i) {
            Verdict verdict = verdict_of<T>(all, i);
            judgement.hash += hash_of<T>(all.found, i);
            if (verdict != Verdict::wrong && is_overwritten(all, i)) verdict = Verdict::wrong;
            judgement.exact += verdict == Verdict::exact;
            judgement.close += verdict == Verdict::close;
            judgement.uncertain += verdict == Verdict::uncertain;
            if (verdict != Verdict::wrong) continue;
            judgement.fault = "element " + std::to_string(i) + " of " + kind_of(all.wanted) + " is " +
                              text_of<T>(all.found, i) + ", wanted " + text_of<T>(all.wanted, i);
            return;
        }
    });
}

std::string error_of(const Outcome& outcome) {
    return outcome.error ? std::string(name_of(*outcome.error)) + " (" + outcome.text + ")" : "no error";
}

/// Compares everything without noise first; most is exact.
void compare_all(const Outcome& found, const Outcome& wanted, const std::vector<Outcome>& noisy,
                 Comparison& judgement) {
    if (found.error != wanted.error) {
        for (const Outcome& other : noisy)
            if (other.error != wanted.error) {
                ++judgement.uncertain;
                return;
            }
        judgement.fault = "gives " + error_of(found) + ", wanted " + error_of(wanted);
        return;
    }
    judgement.is_error = wanted.error.has_value();
    for (std::size_t r = 0; r < wanted.results.size() && judgement.fault.empty(); ++r) {
        Compared all{row_major(found.results[r]), row_major(wanted.results[r]), {}, {}};
        for (const Outcome& other : noisy) {
            if (other.error) {
                judgement.uncertain += wanted.results[r].values.size();
                return;
            }
            all.noisy.push_back(row_major(other.results[r]));
        }
        if (r < wanted.before.size()) all.before = wanted.before[r];
        compare(all, judgement);
        if (!judgement.fault.empty())
            judgement.fault = "result " + std::to_string(r) + ": " + judgement.fault;
    }
}

/// Errors of some kinds; `more` besides, of few elements of which the first may have canceled out, each half
/// as large as the one before: a divisor that is only rounding takes any value up to the largest error.
std::vector<Outcome> with_noise(const Program& program, std::uint32_t more) {
    using Sign = Noise::Sign;
    const std::uint32_t seed = program.seed;
    std::vector<Noise> kinds{{.sign = Sign::up, .seed = seed},
                             {.sign = Sign::down, .seed = seed},
                             {.sign = Sign::random, .seed = seed},
                             {.sign = Sign::random, .seed = seed + 1},
                             {.sign = Sign::random, .backwards = true, .seed = seed + 2}};
    for (std::uint32_t i = 0; i < more; ++i) {
        kinds.push_back({.sign = Sign::random, .seed = seed + 3 + i});
        kinds.push_back({.sign = Sign::random, .seed = seed + 3 + more + i, .size = std::exp2(-1.0 - i)});
    }
    std::vector<Outcome> outcomes;
    // Noise has the shape of the value that it disturbs; steps with shapes contain it.
    Program shaped = program;
    if (shaped.as == RunAs::kernel) shaped.as = RunAs::step;
    for (const Noise& kind : kinds) outcomes.push_back(run(shaped, plain, noisy(kind)));
    return outcomes;
}

}  // namespace

Comparison compared(const Program& program, const Outcome& found, const Outcome& wanted) {
    Comparison judgement;
    compare_all(found, wanted, {}, judgement);
    for (const std::uint32_t more : {0U, 16U}) {
        if (judgement.fault.empty()) break;
        judgement = {};
        compare_all(found, wanted, with_noise(program, more), judgement);
    }
    return judgement;
}

namespace {

/// Returns the results of `evaluate`, and notes the plan that it ran.
auto reported(const auto& evaluate) {
    planning::RunEvents events;
    auto results = evaluate(&events);
    note_reached(events);
    return results;
}

}  // namespace

Engine interpreter() {
    return {.evaluate = &frisket::evaluate,
            .run = [](const Graph& graph, std::span<const Argument> arguments, const Program& /*program*/) {
                frisket::interpret(graph, arguments);
            }};
}

Engine compiler() {
    return {.evaluate =
                [](const Graph& graph, std::span<const Argument> arguments) {
                    return reported([&](planning::RunEvents* events) {
                        return codegen::jit_evaluate(graph, arguments, {}, {.events = events});
                    });
                },
            .run = &run_compiled};
}

Engine planner() {
    return {.evaluate =
                [](const Graph& graph, std::span<const Argument> arguments) {
                    return reported([&](planning::RunEvents* events) {
                        return planning::evaluate_planned(graph, arguments, events);
                    });
                },
            .run = [](const Graph& graph, std::span<const Argument> arguments,
                      const Program& /*program*/) { planning::interpret_planned(graph, arguments); }};
}

Comparison judge_plan(const Program& program) {
    Comparison judgement;
    if (program.is_step() && program.as != RunAs::step) return judgement;  // no shapes, no plan
    const Outcome wanted = run(program, plain, interpreter());
    // With other data than the generator's, a tensor on the way may be larger than the interpreter takes.
    if (wanted.error == ErrorCode::shape) return judgement;
    judgement.fault = state_fault(program, wanted);
    if (judgement.fault.empty()) judgement.fault = skip_fault(program, wanted);
    if (judgement.fault.empty()) judgement.fault = formula_fault(program);
    if (!judgement.fault.empty()) return judgement;
    for (const Storing& storing : {as_program, as_other}) {
        const Comparison planned = compared(program, run(program, storing, planner()), wanted);
        judgement.is_error = planned.is_error;
        judgement.exact += planned.exact;
        judgement.close += planned.close;
        judgement.uncertain += planned.uncertain;
        judgement.hash += planned.hash;
        if (planned.fault.empty()) continue;
        judgement.fault = std::string("planned, with interpreted bodies") +
                          (storing.as == Storing::As::other ? ", other layouts and poison, " : ", ") +
                          planned.fault;
        break;
    }
    return judgement;
}

Comparison judge(const Program& program) {
    const Outcome wanted = run(program, plain, interpreter()), found = run(program, as_program, compiler());
    Comparison judgement = compared(program, found, wanted);
    if (judgement.fault.empty()) judgement.fault = state_fault(program, found);
    if (judgement.fault.empty()) judgement.fault = skip_fault(program, found);
    if (!judgement.fault.empty()) return judgement;
    // Kernels may run other loops for other layouts: calls with those are made in addition to this one.
    Storing other = as_other;
    if (program.as != RunAs::step) other.as = Storing::As::program;
    Comparison again;
    const Outcome stored = run(program, other, compiler());
    compare_all(stored, found, {}, again);
    if (!again.fault.empty()) {
        // A list is summed in its own order; all else has the same bits in every layout.
        again = {};
        compare_all(stored, found, with_noise(program, 16), again);
    }
    if (!again.fault.empty()) judgement.fault = "with other layouts and poison, " + again.fault;
    if (judgement.fault.empty() && program.is_step() && program.seed / 16 % 4 == 0 && !judgement.is_error)
        judgement.fault = overlap_fault(program);
    return judgement;
}

}  // namespace fuzz
