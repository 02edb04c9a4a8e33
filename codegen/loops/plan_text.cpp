// SPDX-License-Identifier: MIT
#include "plan_text.hpp"

#include <algorithm>
#include <vector>

#include "../../runtime/kernel/kernel_module.hpp"

namespace frisket::codegen {

std::string walked(const Signature& signature, Strategy strategy) {
    const std::string domain = signature.domain < 0
                                   ? "the masks"  // which are one
                                   : signature.parameters[static_cast<std::size_t>(signature.domain)].name;
    std::string text(info_of(strategy).walks);
    if (const std::size_t at = text.find('@'); at != std::string::npos) text.replace(at, 1, domain);
    return text;
}

bool reads_by_list(const Signature& signature, Strategy strategy, int parameter) {
    const bool has_listed_values = strategy == Strategy::gather || strategy == Strategy::rows;
    return has_listed_values && !signature.writes(parameter) &&
           kernel_calls::shares_domain(signature, parameter);
}

std::string plan_text(const Graph& graph, const Signature& signature, Strategy strategy) {
    std::vector<int> written;
    written.reserve(signature.updates.size());
    for (const UpdateRule& update : signature.updates) written.push_back(update.target);
    std::string reads, writes;
    for (int i = 0; i < static_cast<int>(signature.parameters.size()); ++i) {
        const Parameter& parameter = signature.parameters[static_cast<std::size_t>(i)];
        if (parameter.kind > SymbolKind::masked) continue;
        const bool is_written = signature.writes(i);
        std::string& list = is_written ? writes : reads;
        list += (list.empty() ? "" : ", ") + parameter.name;
        if (reads_by_list(signature, strategy, i)) list += " (by the list)";
    }
    std::string text = "step " + graph.name + ", strategy " + std::string(name_of(strategy)) + "\n";
    text += "  walks   " + walked(signature, strategy) + "\n";
    text += "  reads   " + (reads.empty() ? std::string("nothing else") : reads) + "\n";
    text += "  updates " + writes + ", in place, in one pass\n";
    return text;
}

}  // namespace frisket::codegen
