// SPDX-License-Identifier: MIT
#include "../../../runtime/kernel/workload_class.hpp"
#include "../../../runtime/support/joined.hpp"
#include "../../at.hpp"
#include "report_writer.hpp"
#include "stage_report.hpp"

#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// "all elements, in tiles of 64": the elements that a strategy's loops walk.
std::string walked(const Signature& signature, Strategy strategy) {
    const std::string domain = signature.domain < 0 ? "the masks"  // which are one
                                                    : signature.parameters[at(signature.domain)].name;
    std::string text(info_of(strategy).walks);
    if (const std::size_t name = text.find('@'); name != std::string::npos) text.replace(name, 1, domain);
    return text;
}

/// True if a strategy reads a parameter by the list that it walks.
bool reads_by_list(const Signature& signature, Strategy strategy, int parameter) {
    const bool has_listed_values = strategy == Strategy::gather || strategy == Strategy::rows;
    return has_listed_values && !signature.writes(parameter) &&
           kernel_calls::shares_domain(signature, parameter);
}

/// The reason for the dispatcher's choice, from the first part of a call.
std::string reason_of(const Signature& signature, const PassEvent& call) {
    if (call.strategies.empty()) return "there is no element to walk";
    if (!call.device.is_cpu())
        return "on device " + std::string(call.device.name()) +
               ", where masks are not looked at, and no byte is moved";
    switch (call.strategies[0]) {
        case Strategy::gather:
            if (call.queries[0].layout == Layout::coo) return "the mask is a list of positions";
            break;
        case Strategy::rows: return "the mask is a list of rows";
        case Strategy::strided: return "an argument has gaps between its elements, or is repeated";
        default: break;
    }
    const kernel_calls::DispatchQuery& query = call.queries.back();
    if (query.of_several_masks) return "updates have several masks";
    if (signature.domain < 0 || call.strategies[0] == Strategy::dense)
        return "no mask decides what is walked";
    if (query.counts.words == 0)
        return "of at most " + std::to_string(small_call) + " elements the mask is not looked at";
    const std::string parts =
        call.queries.size() > 1 ? "of " + std::to_string(call.queries.size()) + " parts the last: " : "";
    return parts + explained(query.counts);
}

}  // namespace

std::string plan_text(const Graph& graph, const Signature& signature, Strategy strategy) {
    std::vector<std::string> reads, writes;
    for (int i = 0; i < static_cast<int>(signature.parameters.size()); ++i) {
        const Parameter& parameter = signature.parameters[at(i)];
        if (parameter.kind > SymbolKind::masked) continue;
        (signature.writes(i) ? writes : reads)
            .push_back(parameter.name + (reads_by_list(signature, strategy, i) ? " (by the list)" : ""));
    }
    return "step " + graph.name + ", strategy " + std::string(name_of(strategy)) + "\n  walks   " +
           walked(signature, strategy) + "\n  reads   " +
           (reads.empty() ? "nothing else" : runtime::joined(reads)) + "\n  updates " +
           runtime::joined(writes) + ", in place, in one pass\n";
}

StageReport report_of_pass(const PassEvent& pass) {
    const Signature signature = signature_of(pass.step);
    const Strategy strategy = pass.strategies.empty() ? Strategy::dense : pass.strategies[0];
    const auto walk = [&](Strategy one) { return std::string(name_of(one)) + ": " + walked(signature, one); };
    StageReport stage{.rule = &rules::in_place,
                      .space =
                          pass.strategies.empty() ? "no elements" : runtime::joined(pass.strategies, walk),
                      .body = body_text(pass.step),
                      .why = reason_of(signature, pass),
                      .kernels = pass.device.is_cpu() ? 0 : pass.kernels};
    for (int i = 0; i < static_cast<int>(signature.parameters.size()); ++i) {
        const Parameter& parameter = signature.parameters[at(i)];
        const Format& format = pass.formats[at(i)];
        const std::string layout = format.is_masked() ? ", " + std::string(name_of(format.layout)) : "";
        stage.reads.push_back({parameter.name, !is_tensor(parameter.kind) ? "a number"
                                               : reads_by_list(signature, strategy, i)
                                                   ? "stored values" + layout
                                               : signature.writes(i) ? "updated in place" + layout
                                                                     : "at the walked elements" + layout});
    }
    return stage;
}

StageReport report_of_rows(const Stage& part, int kernels) {
    StageReport stage{.rule = &rules::row_blocks,
                      .space = "the listed rows, a block of them at a time",
                      .body = body_text(part.graph),
                      .kernels = kernels};
    for (std::size_t i = 0; i < part.arguments.size(); ++i) {
        const StageArgument& read = part.arguments[i];
        stage.reads.push_back(read.is_value
                                  ? OperandReport{"value " + std::to_string(read.index), "of the block"}
                                  : OperandReport{part.graph.symbols[i].name, "at the rows"});
    }
    return stage;
}

}  // namespace frisket::planning
