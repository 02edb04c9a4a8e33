// SPDX-License-Identifier: MIT
#include "plan_report.hpp"

#include "../../runtime/support/joined.hpp"

namespace frisket::plan {

using frisket::to_string;

namespace {

std::string text_of(const TensorReport& tensor) {
    return (tensor.name.empty() ? "" : tensor.name + ": ") + std::string(name_of(tensor.dtype)) + " " +
           to_string(tensor.shape) + ", " + tensor.format + ", " + std::to_string(tensor.bytes) + " bytes" +
           (tensor.is_temporary ? ", until the stage ends" : "");
}

}  // namespace

std::string count_text(std::int64_t count, std::string_view one, std::string_view many) {
    return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string to_string(const PlanReport& plan) {
    std::string text = "plan of " + plan.title + ": " +
                       count_text(static_cast<std::int64_t>(plan.stages.size()), "stage", "stages") + "\n";
    int number = 0;
    for (const StageReport& stage : plan.stages) {
        const Rule& rule = *stage.rule;
        text += std::to_string(++number) + ". " + stage.body + "\n";
        text += "   over   " + stage.space + "\n";
        if (!stage.reads.empty())
            text += "   reads  " +
                    runtime::joined(stage.reads,
                                    [](const OperandReport& operand) {
                                        return operand.name + " (" + operand.read + ")";
                                    }) +
                    "\n";
        for (const TensorReport& tensor : stage.makes) text += "   makes  " + text_of(tensor) + "\n";
        if (!stage.loops.empty()) text += "   loops  " + runtime::joined(stage.loops) + "\n";
        text += "   rule   " + std::string(rule.name) + ": " + std::string(rule.legal) + "\n";
        text += "          for: " + std::string(rule.pros) + "; against: " + std::string(rule.cons) + "\n";
        if (!stage.why.empty()) text += "   why    " + stage.why + "\n";
    }
    return text;
}

std::string summary_of(const PlanReport& plan) {
    const auto of_stage = [](const StageReport& stage) {
        std::string text = std::string(stage.rule->name) + " over " + stage.space + ": " + stage.body;
        for (const TensorReport& tensor : stage.makes)
            if (!tensor.is_temporary) text += " -> " + tensor.format;
        return text;
    };
    return runtime::joined(plan.stages, of_stage, "\n");
}

}  // namespace frisket::plan
