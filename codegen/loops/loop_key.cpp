// SPDX-License-Identifier: MIT
#include "loop_key.hpp"

#include <bit>

namespace frisket::codegen {

KeyText& KeyText::add(std::string_view text) {
    add(text.size());
    text_ += text;
    text_ += '\n';
    return *this;
}

KeyText& KeyText::add(double number) { return add(std::bit_cast<std::int64_t>(number)); }

// Each lists all fields by a structured binding: a new one does not compile until it is added here.

KeyText& KeyText::add(const Node& node) {
    const auto& [kind, op, dtype, weak, operands, mask, symbol, constant, integer, reduction, attributes,
                 offsets, shape, path] = node;
    add(kind).add(op).add(dtype).add(weak).add(operands).add(mask).add(symbol).add(constant);
    return add(integer).add(reduction).add(attributes).add(offsets).add(shape).add(path);
}

KeyText& KeyText::add(const Symbol& symbol) {
    const auto& [name, kind, dtype, shape, is_repeated] = symbol;
    return add(name).add(kind).add(dtype).add(shape).add(is_repeated);
}

KeyText& KeyText::add(const Check& check) {
    const auto& [code, bad, elements, value, text] = check;
    return add(code).add(bad).add(elements).add(value).add(text);
}

KeyText& KeyText::add(const Graph& graph) {
    // Plans keep skips from loops.
    const auto& [name, symbols, nodes, updates, equal_masks, results, checks, skips, shaped] = graph;
    return add(name)
        .add(symbols)
        .add(nodes)
        .add(updates)
        .add(equal_masks)
        .add(results)
        .add(checks)
        .add(shaped);
}

}  // namespace frisket::codegen
