// SPDX-License-Identifier: MIT
#include "plan_report.hpp"

#include "../../../runtime/support/joined.hpp"
#include "../../../runtime/tensor/free_memory.hpp"

namespace frisket::planning {

using frisket::to_string;

namespace {

std::string text_of(const TensorReport& tensor) {
    std::string text = (tensor.name.empty() ? "" : tensor.name + ": ") + std::string(name_of(tensor.dtype));
    if (tensor.is_in_line) return text + " for each of them";
    text += " " + to_string(tensor.shape) + ", ";
    if (tensor.lifetime == Lifetime::rows) return text + "never whole: some rows at a time";
    text += tensor.format;
    if (tensor.bytes != TensorReport::unknown) text += ", " + std::to_string(tensor.bytes) + " bytes";
    return tensor.lifetime == Lifetime::stage ? text + ", until the stage ends" : text;
}

/// A line for the moment at which most is held.
std::string text_of(const MemoryPeak& peak, std::size_t stages) {
    if (peak.bytes() == 0) return "";
    const std::string where = stages > 1 ? ", in stage " + std::to_string(peak.stage) : "";
    std::vector<std::string> parts;
    if (peak.made > 0) parts.push_back(runtime::bytes_text(peak.made) + " of results");
    if (peak.held > 0) parts.push_back(runtime::bytes_text(peak.held) + " on the way");
    if (peak.before > 0) parts.push_back(runtime::bytes_text(peak.before) + " of stages before it");
    return "peak: at most " + runtime::bytes_text(peak.bytes()) + " at once" + where + ": " +
           runtime::joined(parts) + "\n";
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
        const RuleInfo& rule = *stage.rule;
        text += std::to_string(++number) + ". " + stage.body + "\n";
        if (!stage.when.empty()) text += "   if     " + stage.when + "\n";
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
        if (stage.kernels > 0)
            text += "   starts " + count_text(stage.kernels, "kernel", "kernels") + " on the device\n";
        if (!stage.schedule.empty()) text += "   knobs  " + stage.schedule + "\n";
        text += "   rule   " + std::string(rule.name) + ": " + std::string(rule.legal) + "\n";
        text += "          for: " + std::string(rule.pros) + "; against: " + std::string(rule.cons) + "\n";
        if (!stage.why.empty()) text += "   why    " + stage.why + "\n";
    }
    std::int64_t kernels = 0;
    for (const StageReport& stage : plan.stages) kernels += stage.kernels;
    if (kernels > 0 && plan.stages.size() > 1)
        text += "starts " + count_text(kernels, "kernel", "kernels") + " on the device in all\n";
    return text + text_of(plan.peak, plan.stages.size()) +
           (plan.misfit.empty() ? "" : "does not fit: " + plan.misfit + "\n");
}

std::string summary_of(const PlanReport& plan) {
    const auto of_stage = [](const StageReport& stage) {
        std::string text = std::string(stage.rule->name) + " over " + stage.space + ": " + stage.body;
        for (const TensorReport& tensor : stage.makes)
            if (tensor.lifetime == Lifetime::call) text += " -> " + tensor.format;
        return text;
    };
    return runtime::joined(plan.stages, of_stage, "\n");
}

}  // namespace frisket::planning
