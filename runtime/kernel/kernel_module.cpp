// SPDX-License-Identifier: MIT
#include "kernel_module.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../layouts/layout_traits.hpp"
#include "../support/parallel.hpp"
#include "../tensor/error.hpp"

namespace frisket::kernel_calls {

void ModuleFacts::take(std::vector<TunedVariant> found) {
    tuned = std::move(found);
    knows_small_calls = std::ranges::any_of(
        tuned, [](const TunedVariant& one) { return one.strategy && is_small(one.call); });
    may_walk_bytes = std::ranges::find(tuned, Strategy::bytes, &TunedVariant::strategy) != tuned.end();
}

Variant KernelModule::choose(const DispatchQuery& query) {
    if (!facts_.tuned.empty()) {
        const auto* const found = nearest(std::span<const TunedVariant>(facts_.tuned), class_of(query));
        if (found != nullptr && found->strategy)
            return {*found->strategy, static_cast<int>(found - facts_.tuned.data())};
    }
    if (!device().is_cpu()) return {strategy_on_device(query.layout)};
    if (query.of_several_masks) return {Strategy::blend};
    if (query.layout == Layout::rows && query.row_length == 1 && has(Strategy::gather))
        return {Strategy::gather};
    const bool is_flat = runtime::has_mask(query.layout) && !runtime::is_list(query.layout);
    return {is_flat ? frisket::choose(query.counts) : strategy_on_device(query.layout)};
}

KernelModule& KernelModule::on(const Device& device) {
    if (device == this->device()) return *this;
    const std::scoped_lock lock(elsewhere_mutex_);
    for (const auto& known : elsewhere_)
        if (known->device() == device) return *known;
    return *elsewhere_.emplace_back(made_on(device));
}

std::shared_ptr<KernelModule> KernelModule::made_on(const Device& device) {
    refuse_device(signature().name, device, this->device());
}

void KernelModule::parallel_for(int tasks, void (*task)(void*, int), void* closure) const {
    runtime::run_tasks(tasks, task, closure);
}

void refuse_device(std::string_view what, const Device& of_tensors, const Device& of_loops) {
    const std::string there(of_tensors.name()), here(of_loops.name());
    throw TargetError(std::string(what) + ": the tensors are on " + there +
                      ", and the loops are compiled for " + here + ": move the tensors with .to(device(\"" +
                      here + "\")), or compile the step without naming a target");
}

std::optional<Strategy> strategy_by_position(const Signature& signature, std::span<const Layout> layouts) {
    std::optional<Strategy> found;
    auto layout = layouts.begin();
    for (const Parameter& parameter : signature.parameters) {
        if (parameter.kind != SymbolKind::masked || layout == layouts.end()) continue;
        const Layout own = *layout++;
        if (parameter.is_repeated) continue;
        const bool is_bitmask = own == Layout::bitmask;
        if (!is_bitmask && !runtime::has_ranks(own)) return {};
        const Strategy wanted = is_bitmask ? Strategy::strided_bits : Strategy::strided_lists;
        if (found && *found != wanted) return {};
        found = wanted;
    }
    return found;
}

std::vector<Strategy> strategies_on_device(const Signature& signature, std::span<const Layout> layouts) {
    if (const auto found = strategy_by_position(signature, layouts); found && signature.domain < 0)
        return {*found};
    const std::optional<Layout> layout = runtime::common_layout(layouts);
    if (!layout || (signature.domain < 0 && runtime::has_mask(*layout))) return {Strategy::strided};
    if (*layout == Layout::bitmask) return {Strategy::skip, Strategy::blend, Strategy::predicate};
    return {strategy_on_device(*layout)};
}

std::vector<Strategy> default_strategies_on_device(const Signature& signature,
                                                   std::span<const Layout> layouts) {
    std::vector<Strategy> found{Strategy::strided};
    if (std::ranges::none_of(layouts, runtime::has_mask)) found.push_back(Strategy::dense);
    if (const auto by_position = strategy_by_position(signature, layouts)) found.push_back(*by_position);
    if (signature.domain < 0) return found;
    const auto masked =
        std::ranges::count(std::span(signature.parameters).first(static_cast<std::size_t>(signature.domain)),
                           SymbolKind::masked, &Parameter::kind);
    found.push_back(strategy_on_device(layouts[static_cast<std::size_t>(masked)]));
    return found;
}

Strategy strategy_on_device(Layout layout) {
    using runtime::MaskForm;
    switch (runtime::traits_of(layout).mask) {
        case MaskForm::none: return Strategy::dense;
        case MaskForm::elements: return Strategy::gather;
        case MaskForm::rows: return Strategy::rows;
        case MaskForm::bits: return Strategy::skip;
        default: return Strategy::strided;
    }
}

bool shares_domain(const Signature& signature, int parameter) {
    if (signature.domain < 0) return false;
    if (parameter == signature.domain) return true;
    if (signature.equal_masks.empty()) return false;
    // equal_masks are pairs: follow them until nothing new is reached (steps have few).
    std::vector<int> reached{signature.domain};
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const auto& [a, b] : signature.equal_masks)
            for (auto [from, to] : {std::pair{a, b}, std::pair{b, a}})
                if (from == reached[i] && std::find(reached.begin(), reached.end(), to) == reached.end())
                    reached.push_back(to);
    return std::find(reached.begin(), reached.end(), parameter) != reached.end();
}

std::vector<Strategy> strategies_for(const Signature& signature, std::span<const Layout> layouts,
                                     std::int64_t row_length) {
    if (signature.updates.empty()) return {};  // only numbers: the host's work
    if (std::ranges::none_of(layouts, runtime::has_mask)) return {Strategy::dense};
    if (signature.domain < 0) return {Strategy::blend};
    int masked = -1;
    bool coo = true, rows = true;
    for (int i = 0; i < static_cast<int>(signature.parameters.size()); ++i) {
        if (signature.parameters[i].kind != SymbolKind::masked) continue;
        ++masked;
        if (!shares_domain(signature, i)) continue;
        coo &= layouts[masked] == Layout::coo;
        rows &= layouts[masked] == Layout::rows;
    }
    if (coo || (rows && row_length == 1)) return {Strategy::gather};
    if (rows) return {Strategy::rows};
    return {std::begin(flat_choices), std::end(flat_choices)};
}

std::vector<Strategy> legal_strategies(const Signature& signature, std::span<const Layout> layouts) {
    std::vector<Strategy> legal = strategies_for(signature, layouts);
    if (!std::ranges::equal(legal, flat_choices)) return legal;
    const bool all_bytes = std::ranges::all_of(layouts, [](Layout l) { return l == Layout::strided; });
    for (const Strategy other : flat_others)
        if (other != Strategy::bytes || all_bytes) legal.push_back(other);
    return legal;
}

}  // namespace frisket::kernel_calls
