// SPDX-License-Identifier: MIT
#include "operand_names.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>

namespace frisket::ir {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Calls body(start, length, number) for each word x0, x1, … of a text.
void for_each_name(std::string_view text,
                   const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != 'x' || (at > 0 && is_word(text[at - 1]))) continue;
        std::size_t end = at + 1, number = 0;
        for (; end < text.size() && end < at + 8 && text[end] >= '0' && text[end] <= '9'; ++end)
            number = 10 * number + static_cast<std::size_t>(text[end] - '0');
        if (end > at + 1 && (end == text.size() || !is_word(text[end]))) body(at, end - at, number);
    }
}

/// The name of the symbol whose mask an operand has, or that an operand is; empty if it is neither.  Where
/// masks themselves are operands, nobody has written them.
std::string symbol_of(const Graph& graph, NodeId operand, bool is_mask) {
    if (operand == no_node) return {};
    const Node& node = graph[operand];
    if (node.kind == NodeKind::mask_of && !is_mask) return {};
    const NodeId leaf =
        node.mask != no_node && graph[node.mask].kind == NodeKind::mask_of ? node.mask : operand;
    if (graph[leaf].symbol < 0) return {};
    return graph.symbols[static_cast<std::size_t>(graph[leaf].symbol)].name;
}

/// "operand 1 of add", for the first operation that has the symbol and, if one is given, another.
std::string place_of(const Graph& graph, const std::string& name, const std::string& other) {
    for (const Node& node : graph.nodes) {
        if (node.kind != NodeKind::op && node.kind != NodeKind::on) continue;
        const auto stands_at = [&](const std::string& wanted) {
            const auto found = std::ranges::find_if(node.operands, [&](NodeId operand) {
                return symbol_of(graph, operand, node.kind == NodeKind::on) == wanted;
            });
            return found == node.operands.end() ? -1 : static_cast<int>(found - node.operands.begin());
        };
        const int position = stands_at(name);
        if (position < 0 || (!other.empty() && stands_at(other) < 0)) continue;
        // on(m, x) has the mask of its first operand second.
        const bool is_on = node.kind == NodeKind::on;
        return "operand " + std::to_string(is_on ? 2 - position : position + 1) + " of " +
               std::string(is_on ? "on" : info_of(node.op).name);
    }
    return other.empty() ? "the tensor" : place_of(graph, name, {});
}

}  // namespace

std::string with_operands_named(const std::string& message, const Graph& graph,
                                const std::vector<std::string>& stored) {
    std::vector<std::size_t> named;
    for_each_name(message, [&](std::size_t, std::size_t, std::size_t number) {
        if (number < stored.size() && std::ranges::find(named, number) == named.end())
            named.push_back(number);
    });
    const auto name = [](std::size_t number) { return "x" + std::to_string(number); };
    std::string text;
    std::size_t done = 0;
    std::vector<bool> is_known(stored.size());
    for_each_name(message, [&](std::size_t at, std::size_t length, std::size_t number) {
        if (number >= stored.size()) return;
        const std::string other = named.size() == 2 ? name(named[0] == number ? named[1] : named[0]) : "";
        text += message.substr(done, at - done) + place_of(graph, name(number), other);
        if (!is_known[number]) text += " (" + stored[number] + ")";
        is_known[number] = true;
        done = at + length;
    });
    return text + message.substr(done);
}

}  // namespace frisket::ir
