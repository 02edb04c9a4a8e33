// SPDX-License-Identifier: MIT
#include "specialization.hpp"

#include <algorithm>

namespace frisket::codegen {

std::vector<NodeId> all_panels(const Graph& graph) {
    std::vector<NodeId> panels;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
        if (is_product(graph[id])) panels.push_back(id);
    return panels;
}

bool has_mask_of_symbol(const Graph& graph, NodeId result) {
    const NodeId mask = graph[result].mask;
    return mask != no_node && graph[mask].kind == NodeKind::mask_of &&
           graph[mask].shape == graph[result].shape;
}

bool writes_mask(const Graph& graph, NodeId result) {
    return graph[result].mask != no_node && !has_mask_of_symbol(graph, result);
}

std::int32_t SizeSlot::of(const Graph& graph) const {
    const Node& from = graph[node];
    const auto at = static_cast<std::size_t>(index);
    switch (kind) {
        case Kind::extent: return static_cast<std::int32_t>(from.shape[at]);
        case Kind::offset: return static_cast<std::int32_t>(from.offsets[at]);
        case Kind::step: break;
    }
    return static_cast<std::int32_t>(from.attributes[at]);
}

kernel_calls::LoopAbi abi_of(const Graph& graph, const ir::ScalarProgram& numbers, const Specialization& form,
                             std::span<const SizeSlot> sizes) {
    kernel_calls::LoopAbi abi;
    for (std::size_t i = 0; i < numbers.slots().size(); ++i)
        abi.push_back({kernel_calls::LoopRole::number, static_cast<int>(i), numbers.slots()[i].dtype});
    for (std::size_t i = 0; i < sizes.size(); ++i)
        abi.push_back({kernel_calls::LoopRole::size, static_cast<int>(i)});
    if (std::ranges::any_of(form.inputs, &InputForm::by_list))
        abi.push_back({.role = kernel_calls::LoopRole::list, .form = ArrayForm::list_entries});
    for (std::size_t i = 0; i < graph.symbols.size(); ++i) {
        if (!is_tensor(graph.symbols[i].kind)) continue;
        abi.push_back(
            {kernel_calls::LoopRole::values, static_cast<int>(i), graph.symbols[i].dtype, ArrayForm::whole});
        if (form.inputs[i].has_mask)
            abi.push_back({kernel_calls::LoopRole::mask, static_cast<int>(i),
                           form.inputs[i].mask_is_bits ? DType::int64 : DType::boolean, ArrayForm::whole});
    }
    for (std::size_t i = 0; i < graph.results.size(); ++i) {
        const NodeId id = graph.results[i];
        abi.push_back({kernel_calls::LoopRole::output, static_cast<int>(i), graph[id].result_dtype(),
                       ArrayForm::whole});
        if (writes_mask(graph, id))
            abi.push_back(
                {kernel_calls::LoopRole::output_mask, static_cast<int>(i), DType::boolean, ArrayForm::whole});
    }
    for (std::size_t i = 0; i < graph.checks.size(); ++i)
        abi.push_back(
            {kernel_calls::LoopRole::check, static_cast<int>(i), DType::boolean, ArrayForm::scalar});
    return abi;
}

KeyText loop_key(const Graph& graph, const Specialization& form) {
    const auto& [inputs, parallel, lanes, panels, narrow, few, numbers, not_nan, is_single, schedule] = form;
    if (form.is_of_step()) return KeyText().add("step").add(graph).add(to_string(schedule)).add(is_single);
    // Names change no loop.
    Graph nameless = graph;
    nameless.name.clear();
    for (Symbol& symbol : nameless.symbols) symbol.name.clear();
    KeyText key;
    key.add("nest").add(nameless).add(parallel).add(lanes).add(panels).add(narrow).add(few).add(
        numbers.size());
    for (const auto& [node, attribute] : numbers) key.add(node).add(attribute);
    key.add(not_nan).add(to_string(schedule));
    for (const InputForm& input : inputs) {
        const auto& [has_mask, is_bits, is_in_line, is_ranked, values_are_rows, mask_is_rows, of_list,
                     by_list] = input;
        key.add(has_mask).add(is_bits).add(is_in_line).add(is_ranked).add(values_are_rows).add(mask_is_rows);
        key.add(of_list).add(by_list);
    }
    return key;
}

std::vector<std::int64_t> KernelMetadata::numbers() const {
    std::vector<std::int64_t> numbers{kinds.bits(), static_cast<std::int64_t>(sizes.size())};
    for (const SizeSlot& slot : sizes)
        numbers.insert(numbers.end(), {slot.node, static_cast<int>(slot.kind), slot.index});
    numbers.push_back(static_cast<std::int64_t>(stored.size()));
    for (const StoredNode& node : stored)
        numbers.insert(numbers.end(), {node.id, static_cast<int>(node.dtype), node.is_in_rows ? 1 : 0});
    return numbers;
}

KernelMetadata KernelMetadata::of(std::span<const std::int64_t> numbers) {
    KernelMetadata notes;
    notes.kinds = LoopKinds(numbers[0]);
    std::size_t at = 2;
    for (std::int64_t i = 0; i < numbers[1]; ++i, at += 3)
        notes.sizes.push_back({.node = static_cast<NodeId>(numbers[at]),
                               .kind = static_cast<SizeSlot::Kind>(numbers[at + 1]),
                               .index = static_cast<int>(numbers[at + 2])});
    const std::int64_t stored = numbers[at++];
    for (std::int64_t i = 0; i < stored; ++i, at += 3)
        notes.stored.push_back({.id = static_cast<NodeId>(numbers[at]),
                                .dtype = static_cast<DType>(numbers[at + 1]),
                                .is_in_rows = numbers[at + 2] != 0});
    const auto memory = numbers.subspan(at);
    notes.memory.assign(memory.begin(), memory.end());
    return notes;
}

}  // namespace frisket::codegen
