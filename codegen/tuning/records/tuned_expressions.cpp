// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "tuned_expressions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "../../../runtime/support/fork.hpp"
#include "../../../runtime/support/made_once.hpp"
#include "../../loops/tuning_text.hpp"
#include "../../lowering/extent_analysis.hpp"
#include "../../lowering/reduction_fusion.hpp"
#include "../../lowering/row_fusion.hpp"
#include "tuned.hpp"

namespace frisket::codegen {

namespace {

int rounded_log2(std::int64_t count) {
    return static_cast<int>(std::lround(std::log2(static_cast<double>(std::max<std::int64_t>(count, 1)))));
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
        return answers_.get(body, pattern, form, [this](const std::string& text) {
            const auto found = by_text_.find(text);
            return found == by_text_.end() ? std::nullopt : found->second;
        });
    }

private:
    std::unordered_map<std::string, std::optional<Schedule>> by_text_;
    mutable TuningAnswers answers_;
};

std::atomic<std::uint64_t> number_of_readings = 0;

/// The records that were read for each target.  Earlier records are not freed: calls may be reading them.
struct Readings {
    static constexpr std::size_t most_targets = 32;
    std::array<std::atomic<const TunedExpressions*>, most_targets> of_target{};
    runtime::Mutex reading;

    const TunedExpressions& get(const TargetRow& target) {
        auto& own = of_target.at(static_cast<std::size_t>(&target - known_targets().data()));
        if (const auto* const known = own.load(std::memory_order_acquire)) return *known;
        const std::lock_guard lock(reading);
        if (own.load(std::memory_order_relaxed) == nullptr)
            own.store(new TunedExpressions(target), std::memory_order_release);
        return *own.load(std::memory_order_relaxed);
    }
};

Readings& readings() {
    return runtime::made_once([] { return Readings(); });
}

}  // namespace

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
