// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "tuned_expressions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "../../../ir/graph_text.hpp"
#include "../../lowering/extent_analysis.hpp"
#include "../../lowering/reduction_fusion.hpp"
#include "../../lowering/row_fusion.hpp"
#include "tuned.hpp"

namespace frisket::codegen {

namespace {

int rounded_log2(std::int64_t count) {
    return static_cast<int>(std::lround(std::log2(static_cast<double>(std::max<std::int64_t>(count, 1)))));
}

/// An extent as calls alike have it: 0, 1, or another power of two.
std::int64_t rounded(std::int64_t extent) {
    return extent <= 1 ? extent : std::int64_t{1} << std::max(rounded_log2(extent), 1);
}

std::string form_text(const InputForm& form) {
    std::string text = form.values_are_rows ? "rows" : "strided rows";
    if (form.has_mask)
        text += std::string(", mask of ") + (form.mask_is_bits ? "bits" : "bytes") +
                (form.mask_is_rows ? "" : ", strided");
    return text;
}

/// A number for calls whose texts are equal, and most likely for no others.
std::size_t hash_of_text(const Graph& body, const Pattern& pattern, const Specialization& form) {
    std::size_t all = hash(pattern.graph);
    const auto mix = [&](std::size_t one) { all = (all ^ one) * 0x9e3779b97f4a7c15U + (all >> 29); };
    for (const Node& node : body.nodes)
        for (const std::int64_t extent : node.shape) mix(static_cast<std::size_t>(rounded(extent)));
    for (const auto& [has_mask, mask_is_bits, values_are_rows, mask_is_rows] : form.inputs)
        mix(has_mask + 2U * mask_is_bits + 4U * values_are_rows + 8U * mask_is_rows);
    return all;
}

/// The records of expressions for a target.
class TunedExpressions {
public:
    explicit TunedExpressions(const TargetRow& target) {
        for (TunedExpression& one : tuned_expressions(target))
            by_text_.emplace(std::move(one.text), one.schedule);
    }

    std::optional<Schedule> find(const Graph& body, const Pattern& pattern,
                                 const Specialization& form) const {
        if (by_text_.empty()) return {};
        const std::size_t key = hash_of_text(body, pattern, form);
        const std::lock_guard lock(mutex_);
        if (const auto known = by_hash_.find(key); known != by_hash_.end()) return known->second;
        const auto found = by_text_.find(tuning_text(body, pattern, form));
        if (by_hash_.size() >= most) by_hash_.clear();
        return by_hash_[key] = found == by_text_.end() ? std::nullopt : found->second;
    }

private:
    static constexpr std::size_t most = 4096;
    std::unordered_map<std::string, std::optional<Schedule>> by_text_;
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::size_t, std::optional<Schedule>> by_hash_;
};

std::atomic<std::uint64_t> number_of_readings = 0;

/// The records that were read for each target.  Earlier ones are kept: calls may be looking at them.
struct Readings {
    static constexpr std::size_t most_targets = 32;
    std::array<std::atomic<const TunedExpressions*>, most_targets> of_target{};
    std::mutex reading;

    const TunedExpressions& get(const TargetRow& target) {
        auto& own = of_target.at(static_cast<std::size_t>(&target - targets().data()));
        if (const auto* const known = own.load(std::memory_order_acquire)) return *known;
        const std::lock_guard lock(reading);
        if (own.load(std::memory_order_relaxed) == nullptr)
            own.store(new TunedExpressions(target), std::memory_order_release);
        return *own.load(std::memory_order_relaxed);
    }
};

Readings& readings() {
    static auto* all = new Readings;  // never destroyed: static variables of the user's may evaluate
    return *all;
}

}  // namespace

std::string tuning_text(const Graph& body, const Pattern& pattern, const Specialization& form) {
    Graph named = pattern.named();
    for (std::size_t i = 0; i < body.nodes.size(); ++i) {
        named.nodes[i].shape = body.nodes[i].shape;
        for (std::int64_t& extent : named.nodes[i].shape) extent = rounded(extent);
    }
    const std::string all = to_string(named);
    std::string text = "expression " + pattern.title() + all.substr(all.find('\n'));
    for (std::size_t i = 0; i < form.inputs.size(); ++i)
        text += "  form of " + pattern.graph.symbols[i].name + ": " + form_text(form.inputs[i]) + "\n";
    return text;
}

WorkloadClass class_of_body(const Graph& body) {
    std::int64_t most = 1;
    for (const Node& node : body.nodes) most = std::max(most, work_of(body, node));
    WorkloadClass call{.elements = rounded_log2(most)};
    if (body.results.empty()) return call;
    const Shape& shape = body[body.results[0]].shape;
    call.row_length = shape.empty() ? 0 : rounded_log2(shape.back());
    return call;
}

bool fuses_rows(const Pattern& pattern) {
    const Extents extents(pattern.graph);
    const ReductionGroups groups(pattern.graph, extents);
    return RowFusion(pattern.graph, extents, groups, pattern.numbers, RowStages::fused).rank() > 0;
}

std::optional<Schedule> tuned_schedule(const Graph& body, const Pattern& pattern, const Specialization& form,
                                       const TargetRow& target) {
    return readings().get(target).find(body, pattern, form);
}

void reread_tuned_expressions() {
    const std::lock_guard lock(readings().reading);
    for (auto& known : readings().of_target) known.store(nullptr, std::memory_order_release);
    number_of_readings.fetch_add(1, std::memory_order_release);
}

std::uint64_t tuned_expressions_number() noexcept {
    return number_of_readings.load(std::memory_order_acquire);
}

}  // namespace frisket::codegen
