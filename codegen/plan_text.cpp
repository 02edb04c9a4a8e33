// SPDX-License-Identifier: MIT
#include "plan_text.hpp"

#include <algorithm>
#include <vector>

#include "../runtime/kernel/kernel_module.hpp"

namespace frisket {

std::string walked(const Signature& signature, Strategy strategy) {
    const std::string domain =
        signature.domain < 0 ? "" : signature.parameters[static_cast<std::size_t>(signature.domain)].name;
    switch (strategy) {
        case Strategy::dense: return "all elements, in tiles of 64";
        case Strategy::blend: return "all elements, in tiles of 64; bits of the mask choose what is stored";
        case Strategy::skip: return "tiles of 64 elements in which " + domain + " specifies any";
        case Strategy::predicate:
            return "the specified elements of tiles of 64 in which " + domain + " specifies any";
        case Strategy::bytes: return "tiles of 64 elements in which bytes of " + domain + " specify any";
        case Strategy::segments:
            return "segments that " + domain + " specifies whole, up to " + std::to_string(segment_length) +
                   " elements, by a list";
        case Strategy::lines:
            return "lines of 16 elements with a specified element of " + domain + ", by a list";
        case Strategy::gather: return "the specified elements of " + domain + ", by a list of positions";
        case Strategy::rows: return "the specified rows of " + domain + ", by a list of rows";
        case Strategy::strided: break;
    }
    return "all elements, in four dimensions of any strides; bytes of the mask choose what is stored";
}

bool reads_by_list(const Signature& signature, Strategy strategy, int parameter) {
    const bool has_listed_values = strategy == Strategy::gather || strategy == Strategy::rows;
    return has_listed_values && !signature.writes(parameter) && shares_domain(signature, parameter);
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

}  // namespace frisket
