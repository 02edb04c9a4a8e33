// SPDX-License-Identifier: MIT
/// Lays the instructions of a graph out in layers, and writes boxes and curves.
#include "show_svg.hpp"

#include "../ir/graph_text.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace frisket::cli {

namespace {

constexpr int box_width = 168, box_height = 40, step_x = 188, step_y = 66, margin = 24, line_height = 18;

struct Box {
    std::string title, detail, fill;
    std::vector<NodeId> operands;
    int layer = 0, x = 0;
};

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

/// Operands that are tensors are drawn: host scalars are text, and masks are colours.
bool is_drawn(const Graph& graph, NodeId id) {
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    return !node.is_host_scalar && node.kind != NodeKind::mask_of;
}

Box box_of(const Graph& graph, NodeId id) {
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    Box box;
    box.title = ir::expression_text(graph, id, 1);
    box.title.resize(std::min(box.title.find('('), box.title.size()));
    if (node.kind == NodeKind::updated)
        box.title = graph.symbols[static_cast<std::size_t>(node.symbol)].name + " takes";
    for (const NodeId operand : node.operands) {
        if (operand == no_node || operand == node.mask) continue;
        if (is_drawn(graph, operand))
            box.operands.push_back(operand);
        else
            box.detail += (box.detail.empty() ? "" : ", ") + ir::expression_text(graph, operand, 2);
    }
    if (box.detail.size() > 24) box.detail = box.detail.substr(0, 23) + "…";
    const bool is_input = node.kind == NodeKind::symbol;
    box.fill = node.kind == NodeKind::updated ? "#f6d8b8"
               : node.mask != no_node         ? "#bfe3d3"
               : is_input                     ? "#d5dbe4"
                                              : "#eceff3";
    return box;
}

/// Boxes in layers, each below its operands; within a layer in the order of their operands' places.
std::map<NodeId, Box> laid_out(const Graph& graph) {
    std::map<NodeId, Box> boxes;
    std::map<int, std::vector<NodeId>> layers;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (!is_drawn(graph, id)) continue;
        Box box = box_of(graph, id);
        for (const NodeId operand : box.operands)
            box.layer = std::max(box.layer, boxes.at(operand).layer + 1);
        layers[box.layer].push_back(id);
        boxes.emplace(id, std::move(box));
    }
    for (auto& [layer, ids] : layers) {
        const auto wanted = [&](NodeId id) {
            int sum = 0;
            for (const NodeId operand : boxes.at(id).operands) sum += boxes.at(operand).x;
            return boxes.at(id).operands.empty() ? 0 : sum / static_cast<int>(boxes.at(id).operands.size());
        };
        std::ranges::stable_sort(ids, {}, wanted);
        int next = 0;
        for (const NodeId id : ids) {
            boxes.at(id).x = std::max(next, layer == 0 ? next : wanted(id));
            next = boxes.at(id).x + step_x;
        }
    }
    return boxes;
}

std::string text_at(int x, int y, std::string_view attributes, std::string_view text) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" " +
           std::string(attributes) + ">" + escaped(text) + "</text>\n";
}

std::string drawn(const Box& box) {
    const int x = margin + box.x, y = margin + box.layer * step_y, middle = x + box_width / 2;
    const int title_y = y + (box.detail.empty() ? 25 : 17);
    std::string out = "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
                      std::to_string(box_width) + "\" height=\"" + std::to_string(box_height) +
                      "\" rx=\"5\" fill=\"" + box.fill + "\" stroke=\"#5b6775\"/>\n";
    out += text_at(middle, title_y, "text-anchor=\"middle\" font-weight=\"600\"", box.title);
    if (!box.detail.empty())
        out += text_at(middle, y + 33, "text-anchor=\"middle\" font-size=\"11\"", box.detail);
    return out;
}

std::string curve(const Box& from, const Box& to) {
    const int x0 = margin + from.x + box_width / 2, y0 = margin + from.layer * step_y + box_height;
    const int x1 = margin + to.x + box_width / 2, y1 = margin + to.layer * step_y, bend = (y1 - y0) / 2;
    return "<path d=\"M" + std::to_string(x0) + " " + std::to_string(y0) + " C" + std::to_string(x0) + " " +
           std::to_string(y0 + bend) + " " + std::to_string(x1) + " " + std::to_string(y1 - bend) + " " +
           std::to_string(x1) + " " + std::to_string(y1) + "\" fill=\"none\" stroke=\"#8894a3\"/>\n";
}

}  // namespace

std::string graph_svg(const Graph& graph, std::span<const std::string> lines) {
    const std::map<NodeId, Box> boxes = laid_out(graph);
    int width = 640, bottom = margin;
    for (const auto& [id, box] : boxes) {
        width = std::max(width, box.x + box_width + 2 * margin);
        bottom = std::max(bottom, margin + box.layer * step_y + box_height);
    }
    for (const std::string& line : lines)
        width = std::max(width, static_cast<int>(line.size()) * 8 + 2 * margin);
    const int height = bottom + 2 * margin + static_cast<int>(lines.size()) * line_height;
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(width) +
                      " " + std::to_string(height) +
                      "\" role=\"img\" font-family=\"ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif\" "
                      "font-size=\"13\" fill=\"#1f2933\">\n<title>" +
                      escaped(graph.name) +
                      " as a graph</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" "
                      "fill=\"#ffffff\"/>\n";
    for (const auto& [id, box] : boxes)
        for (const NodeId operand : box.operands) out += curve(boxes.at(operand), box);
    for (const auto& [id, box] : boxes) out += drawn(box);
    int y = bottom + margin + line_height;
    for (const std::string& line : lines) {
        out += text_at(margin, y,
                       "font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"12\" "
                       "xml:space=\"preserve\"",
                       line);
        y += line_height;
    }
    return out + "</svg>\n";
}

}  // namespace frisket::cli
