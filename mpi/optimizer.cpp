// SPDX-License-Identifier: MIT
#include "optimizer.hpp"

#include <algorithm>
#include <utility>

#include "../ir/ops/philox.hpp"
#include "../optim/parameter_state.hpp"
#include "../optim/step_graphs.hpp"
#include "optimizer_state.hpp"

namespace frisket::mpi {

using detail::agree;
using detail::Fact;
using detail::fault_of;

namespace {

const Communicator& communicator_of(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters)
        if (parameter.table) return parameter.table->communicator();
    throw ValueError("optimizer: no parameter is a sharded table: name the ranks with "
                     "mpi::Optimizer(communicator, settings, rule, parameters)");
}

std::string text(bool value) { return value ? "true" : "false"; }

std::string text(const optim::AnyRule& rule) {
    std::string all(rule.info().name);
    for (const optim::OptionText& option : rule.options()) all += " " + option.name + "=" + option.text;
    return all;
}

/// The dimension of a view's operand that follows only the rows of its result.
bool shows_rows(const Node& view, int source_rank) {
    const auto rank = view.shape.size();
    for (int d = 0; d < source_rank; ++d)
        for (std::size_t j = 0; j < rank; ++j) {
            const std::int64_t factor = view.attributes[static_cast<std::size_t>(d) * rank + j];
            const bool is_row = d == 0 && j == 0;
            if (is_row ? factor != 1 : (d == 0 || j == 0) && factor != 0) return false;
        }
    return view.offsets.empty() || view.offsets[0] == 0;
}

/// True if each row of the result is computed from the same row of an operand of shape `from`.
bool keeps_rows(const Node& node, const Shape& from) {
    if (is_along_dims(node.kind)) return node.attributes.empty() || node.attributes[0] > 0;
    if (!is_move(node.kind) || node.shape.empty()) return false;
    return node.kind == NodeKind::view ? shows_rows(node, static_cast<int>(from.size()))
                                       : node.shape[0] == from[0];
}

/// Tiles of random bits before the elements of this rank.
std::int64_t first_tile(const auto& slot) {
    if (!slot.is_sharded() || slot.placement->count() == 0 || !slot.placement->is_block()) return 0;
    return slot.placement->row(0) * slot.whole.row_length() / philox::tile;
}

}  // namespace

bool is_by_row(const Graph& graph, std::int64_t rows) {
    if (!graph.shaped) return true;
    const auto has_rows = [&](NodeId id) {
        const Shape& shape = graph[id].shape;
        return !shape.empty() && shape[0] == rows;
    };
    for (const Node& node : graph.nodes) {
        if (is_elementwise(node.kind) || node.kind == NodeKind::size || node.is_host_scalar) continue;
        if (!std::ranges::any_of(node.operands, [&](NodeId id) { return id != no_node && has_rows(id); }))
            continue;
        if (!keeps_rows(node, graph[node.operands[0]].shape)) return false;
    }
    return true;
}

void Optimizer::Slot::cut(int ranks) {
    // Rows of a sharded state, else any elements.
    const std::int64_t length = is_sharded() ? whole.row_length() : 1;
    const PartitionSize all = is_sharded() ? PartitionSize::of(whole.shape, whole.dtype, ranks)
                                           : PartitionSize{element_count(whole.shape), ranks};
    slices = {0};
    for (int rank = 0; rank < ranks; ++rank)
        slices.push_back(slices.back() + Placement(Partition::blocks(), all, rank).count() * length);
}

Optimizer::Optimizer(const Settings& settings, const optim::AnyRule& rule,
                     const std::vector<Parameter>& parameters)
    : Optimizer(communicator_of(parameters), settings, rule, parameters) {}

Optimizer::Optimizer(const Communicator& communicator, const Settings& settings, const optim::AnyRule& rule,
                     const std::vector<Parameter>& parameters)
    : implementation_(std::make_unique<Implementation>(communicator, settings)) {
    implementation_->add(rule, parameters);
}
Optimizer::~Optimizer() = default;
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer& Optimizer::operator=(Optimizer&&) noexcept = default;

int Optimizer::add_group(const optim::AnyRule& rule, const std::vector<Parameter>& parameters) {
    implementation_->add(rule, parameters);
    return group_count() - 1;
}
optim::AnyRule& Optimizer::rule(int group) { return implementation_->steps->rule(group); }
int Optimizer::group_count() const { return implementation_->steps->group_count(); }
std::vector<optim::StateEntry> Optimizer::state() const { return implementation_->steps->state(); }
AnyTensor Optimizer::state(std::string_view parameter, std::string_view name) const {
    return implementation_->steps->state(parameter, name);
}

void Optimizer::catch_up() {
    using optim::detail::OptimizerParts;
    const detail::Call call(implementation_->channel(), "catch_up");
    std::optional<OptimizerParts::PreparedCatchUp> prepared;
    agree(implementation_->channel(), "catch_up",
          fault_of([&] { prepared.emplace(OptimizerParts::of(*implementation_->steps)); }));
    prepared->run();
}

Optimizer::Slot Optimizer::Implementation::slot_of(const Parameter& parameter) const {
    Slot slot;
    slot.name = parameter.name;
    if (parameter.table) {
        const ShardedTable& table = *parameter.table;
        if (&table.communicator().channel() != &channel())
            throw ValueError(slot.name +
                             ": the table is of another communicator than the optimizer: make both "
                             "of copies of one");
        slot.table = table.rows_alone();
        slot.whole = {table.shape(), table.dtype()};
        slot.placement = table.placement();
        slot.local = table.local();
        return slot;
    }
    slot.tensor = slot.local = parameter.tensor;
    slot.whole = {parameter.tensor.shape(), parameter.tensor.dtype()};
    if (parameter.state == DenseState::replicated || slot.tensor.rank() == 0) {
        slot.cut(channel().size());
        return slot;
    }
    if (!slot.tensor.is_contiguous() || !slot.tensor.device().is_cpu())
        throw ValueError(slot.name + " is not contiguous memory of the processor, which DenseState::sharded "
                                     "needs: give a clone(), or DenseState::replicated");
    const Placement placement(Partition::blocks(),
                              PartitionSize::of(slot.whole.shape, slot.whole.dtype, channel().size()),
                              channel().rank());
    const std::int64_t first = placement.count() > 0 ? placement.row(0) : 0;
    slot.local = slot.tensor.slice(0, first, first + placement.count());
    slot.placement = placement;
    slot.cut(channel().size());
    return slot;
}

void Optimizer::Implementation::check_rows(const optim::AnyRule& rule, const Slot& slot) const {
    const auto refuse = [&](const std::string& why) {
        throw ValueError(std::string(rule.info().name) + ": " + slot.name + ": " + why);
    };
    if (!slot.is_sharded() || slot.whole.shape[0] == 0) return;
    const bool is_random = settings.steps.stochastic_rounding && has_16_bits(slot.whole.dtype);
    if (is_random && !slot.placement->is_block())
        refuse("stochastic rounding takes random bits for 64 elements at once, which partition " +
               slot.placement->partition().name() +
               " gives to several ranks: take Partition::blocks(), or leave it out");
    const Graph graph =
        optim::step_graph(rule, slot.whole.dtype, slot.whole.shape, {settings.steps.untouched, false, false});
    if (!is_by_row(graph, slot.whole.shape[0]))
        refuse("its step puts elements of several rows together, and ranks have rows of their own: keep the "
               "parameter dense, with DenseState::replicated, or take a rule by element or by row");
}

std::vector<Fact> Optimizer::Implementation::facts(const optim::AnyRule& rule,
                                                   const std::vector<Slot>& added) const {
    const optim::Optimizer::Settings& steps_settings = settings.steps;
    std::vector<Fact> all{
        {"the rule", text(rule)},
        {"option untouched", std::to_string(static_cast<int>(steps_settings.untouched))},
        {"option stochastic_rounding", text(steps_settings.stochastic_rounding)},
        {"option seed", std::to_string(steps_settings.seed)},
        {"option interpret", text(steps_settings.interpret)},
        {"option sums", std::to_string(static_cast<int>(settings.sums))},
    };
    for (const Slot& slot : added) {
        const std::string kind = slot.is_table()     ? "a table of " + slot.placement->partition().name()
                                 : slot.is_sharded() ? std::string("a tensor with sharded state")
                                                     : "a tensor";
        all.push_back({"parameter " + slot.name, kind + " of " + std::string(name_of(slot.whole.dtype)) +
                                                     " " + to_string(slot.whole.shape)});
    }
    return all;
}

std::vector<Fact> Optimizer::Implementation::option_facts() const {
    std::vector<Fact> all;
    for (int group = 0; group < steps->group_count(); ++group)
        all.push_back({"the rule of group " + std::to_string(group), text(steps->rule(group))});
    return all;
}

std::vector<double> Optimizer::Implementation::options(const optim::GradientOptions& options,
                                                       const optim::AnyRule* added) const {
    std::vector<optim::Number> of_rules;
    const auto add_rule = [&](const optim::AnyRule& rule) {
        rule.info().numbers(rule.data(), DType::float32, Shape{1, 1}, of_rules);
    };
    for (int group = 0; steps && group < steps->group_count(); ++group) add_rule(steps->rule(group));
    if (added != nullptr) add_rule(*added);
    std::vector<double> numbers{options.scale, options.clip_norm, options.clip_value,
                                options.skip_nonfinite ? 1.0 : 0.0};
    for (const optim::Number& number : of_rules) numbers.push_back(number.value);
    return numbers;
}

void Optimizer::Implementation::add(const optim::AnyRule& rule, const std::vector<Parameter>& parameters) {
    const std::string where = "optimizer";
    const detail::Call call(channel(), where);
    std::vector<Slot> added;
    agree(channel(), where, fault_of([&] {
              for (const Parameter& parameter : parameters) {
                  added.push_back(slot_of(parameter));
                  if (added.back().name.empty())
                      added.back().name = std::to_string(slots.size() + added.size() - 1);
              }
              rule.check();
          }));
    check_same(channel(), where, facts(rule, added));
    agree(channel(), where, fault_of([&] {
              std::vector<optim::NamedParameter> locals;
              for (const Slot& slot : added) {
                  check_rows(rule, slot);
                  locals.push_back({slot.name, slot.local, first_tile(slot)});
              }
              said.resize(1 + 2 * (slots.size() + added.size()) + options({}, &rule).size());
              heard.resize(said.size() * static_cast<std::size_t>(channel().size()));
              slots.reserve(slots.size() + added.size());
              if (steps)
                  steps->add_group(rule, std::move(locals));
              else
                  steps.emplace(settings.steps, rule, std::move(locals));
          }));
    for (Slot& slot : added) slots.push_back(std::move(slot));
}

}  // namespace frisket::mpi
