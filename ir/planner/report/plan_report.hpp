// SPDX-License-Identifier: MIT
// Defines the data of a plan report: stages, operands and stored tensors.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../../runtime/tensor/dtype.hpp"
#include "../../../runtime/tensor/shape.hpp"
#include "../rules/rule.hpp"

namespace frisket::planning {

/// Reads of an operand by a stage.
struct OperandReport {
    std::string name;
    std::string read;  ///< "whole", "broadcast", "stored values", "located at the positions" …
};

/// Times for which tensors are stored.
enum class Lifetime : std::uint8_t {
    call,   ///< a result of a stage
    stage,  ///< until the stage ends
    rows,   ///< some rows of it, until the same rows of the result are made
};

/// A tensor that a stage stores: a result of it, or one that its own loops read again.
struct TensorReport {
    static constexpr std::int64_t unknown = -1;
    std::string name;
    DType dtype = DType::float32;
    Shape shape = {};
    std::string format = "dense";  ///< and how much of it: "coo, 5 entries"
    std::int64_t bytes = unknown;  ///< bytes of its values
    bool is_in_line = false;       ///< it has a value for each coordinate, however many these are
    Lifetime lifetime = Lifetime::call;
};

/// A graph body over one iteration space.
struct StageReport {
    const RuleInfo* rule = &rules::whole;
    std::string when = {};   ///< the condition under which it runs; empty: always
    std::string space = {};  ///< the iteration space: "all 6 x 4 elements", "5 positions of m"
    std::string body = {};   ///< the expressions that are evaluated there
    std::vector<OperandReport> reads = {};
    std::vector<TensorReport> makes = {};
    std::vector<std::string_view> loops = {};  ///< kinds of compiled loops
    std::string schedule = {};                 ///< their schedule, and its source; empty: the default
    std::string why = {};                      ///< the figures on which the rule decided
    int kernels = 0;                           ///< number of those that it starts on a device
};

/// The moment of a call at which it holds most, in addition to its arguments.
struct MemoryPeak {
    std::size_t stage = 0;    ///< number of the stage that runs, from 1 on; 0: none
    std::int64_t before = 0;  ///< bytes that stages before it have made, and that are still read
    std::int64_t made = 0;    ///< bytes that it makes
    std::int64_t held = 0;    ///< bytes that it holds on the way
    std::int64_t bytes() const noexcept { return before + made + held; }
};

/// The stages of an expression or a step, in the order in which they run.
struct PlanReport {
    std::string title;
    std::vector<StageReport> stages = {};
    MemoryPeak peak = {};
    std::string misfit = {};  ///< the first stage for which there is not so much memory; empty: none is known
};

/// "5 entries", "1 entry".
std::string count_text(std::int64_t count, std::string_view one, std::string_view many);
/// Several lines for each stage, with the reasons of its rule.
std::string to_string(const PlanReport& plan);
/// A line for each stage: "union_of over 7 positions of x, y: add(x, y) -> coo values of the union".
std::string summary_of(const PlanReport& plan);

}  // namespace frisket::planning
