// SPDX-License-Identifier: MIT
#include "loop_abi.hpp"

#include "kernel_module.hpp"

namespace frisket::kernel_calls {

bool is_array(LoopRole role) { return role >= LoopRole::list; }

bool is_written(LoopRole role) { return role >= LoopRole::output; }

LoopAbi abi_of(const Signature& signature, std::span<const DType> numbers, Strategy strategy,
               const std::vector<bool>& is_single) {
    const LoopForm& form = info_of(strategy).loop;
    LoopAbi abi;
    if (form.counts_elements) abi.push_back({LoopRole::element_count});
    for (std::size_t i = 0; i < numbers.size(); ++i)
        abi.push_back({LoopRole::number, static_cast<int>(i), numbers[i]});
    const bool has_strided_bits = form.values == ArrayForm::strided && form.mask == ArrayForm::words;
    if (signature.needs_positions || has_strided_bits) {
        abi.push_back({LoopRole::first_position});
        for (int i = 0; form.values == ArrayForm::strided && i < rank_of(form.values); ++i)
            abi.push_back({LoopRole::position_step, i});
    }
    if (!form.list.empty())
        abi.push_back({.role = LoopRole::list, .form = ArrayForm::list_entries, .is_bits = form.lists_words});
    for (int i = 0; i < static_cast<int>(signature.parameters.size()); ++i) {
        const auto& [name, kind, dtype, is_repeated] = signature.parameters[static_cast<std::size_t>(i)];
        if (!is_tensor(kind) || signature.writes(i)) continue;
        const bool is_masked = kind == SymbolKind::masked;
        const bool is_listed =
            is_masked && !form.list.empty() && form.listed != ArrayForm::none && shares_domain(signature, i);
        const bool is_ranked =
            is_masked && form.list.empty() && !is_repeated && form.listed != ArrayForm::none;
        ArrayForm values = is_listed || is_ranked ? form.listed : form.values;
        if (!is_single.empty() && is_single[static_cast<std::size_t>(i)])
            values = is_listed ? ArrayForm::list_entries : ArrayForm::row_numbers;
        abi.push_back({LoopRole::values, i, dtype, values});
        const ArrayForm mask = has_strided_bits && is_repeated ? ArrayForm::strided : form.mask;
        if (is_masked && !is_listed && form.mask != ArrayForm::none)
            abi.push_back({LoopRole::mask, i, DType::boolean, mask, mask == ArrayForm::words});
    }
    for (const int i : signature.outputs)
        abi.push_back(
            {LoopRole::output, i, signature.parameters[static_cast<std::size_t>(i)].dtype, form.values});
    return abi;
}

LoopAbis::LoopAbis(const Signature& signature, std::span<const DType> numbers) {
    for (const StrategyInfo& row : strategies)
        abis_[static_cast<std::size_t>(row.strategy)] = abi_of(signature, numbers, row.strategy);
}

}  // namespace frisket::kernel_calls
