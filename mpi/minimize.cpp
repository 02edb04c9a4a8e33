// SPDX-License-Identifier: MIT
// A loss of each rank, and the step of their sum.
#include "../optim/minimize.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "exact_sum.hpp"
#include "optimizer_state.hpp"

namespace frisket::mpi {

using detail::agree;
using detail::fault_of;

namespace {

/// The gradient of a table, of which rows of these numbers have this one, as a list of rows or of elements.
Argument gradient_of_table(const TableShape& table, const AnyTensor& ids, const Argument& of_rows,
                           Layout layout) {
    const AnyTensor numbers = detail::row_major(ids.to(Device()).to(DType::int64)).reshape({ids.size()});
    const AnyMasked given = of_rows.as_masked().to(Device());
    if (layout == Layout::rows) {
        Shape shape = table.shape;
        shape[0] = ids.size();
        return AnyMasked::rows(table.shape, Tensor<const std::int64_t>(numbers),
                               detail::row_major(given.values()).reshape(shape));
    }
    const AnyMasked list = given.to(Layout::coo);
    const std::vector<std::int64_t> rows = Tensor<const std::int64_t>(numbers).to_vector();
    std::vector<std::vector<std::int64_t>> indices(table.shape.size());
    const std::int64_t length = table.row_length();
    for (std::int64_t entry = 0; entry < list.values().size(); ++entry) {
        const std::int64_t place = (*list.index())[entry];
        std::int64_t within = place % length;
        for (std::size_t d = table.shape.size(); --d > 0; within /= table.shape[d])
            indices[d].push_back(within % table.shape[d]);
        indices[0].push_back(rows[static_cast<std::size_t>(place / length)]);
    }
    return AnyMasked::coo(table.shape, indices, list.values());
}

const std::string& symbol_of(const TableRows& rows) { return rows.symbol.empty() ? rows.table : rows.symbol; }

/// Errors: DTypeError, ShapeError.
void check_rows_of(const TableShape& table, const TableRows& given) {
    const std::string where = "minimize: rows of " + given.table;
    Shape wanted = given.ids.shape();
    wanted.insert(wanted.end(), table.shape.begin() + 1, table.shape.end());
    if (given.rows->dtype() != table.dtype)
        throw DTypeError(where + " are " + std::string(name_of(given.rows->dtype())) + ", wanted " +
                         std::string(name_of(table.dtype)) + ", as the table");
    if (given.rows->shape() != wanted)
        throw ShapeError(where + " have shape " + to_string(given.rows->shape()) + ", wanted " +
                         to_string(wanted) +
                         ", the ids' and then a row's: give what a lookup of the ids gave");
}

}  // namespace

/// A loss of this rank; its functions are called in the order of their declaration.
class Optimizer::Loss {
public:
    explicit Loss(Implementation& all) : all_(all) {}

    /// Takes arguments, and fetches rows that were not.
    void look_up(const std::function<void(detail::MinimizeInputs&)>& take) {
        agree(all_.channel(), "minimize", fault_of([&] {
                  take(inputs_);
                  find_tables();
              }));
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (!rows_[i].rows) rows_[i].rows = all_.slots[tables_[i]].table->lookup(rows_[i].ids);
    }

    /// Evaluates it, and its gradients.
    void evaluate(const std::function<ir::Value(GraphEmitter&)>& loss) {
        agree(all_.channel(), "minimize", fault_of([&] {
                  const auto found =
                      optim::loss_gradients(loss, parameters(), inputs_.named, all_.settings.steps);
                  take(found.gradients);
                  ExactSum own;
                  has_value_ = found.loss.has_value();
                  if (has_value_) own.add(*found.loss);
                  sum_.emplace(all_.channel());
                  sum_->take(own);
              }));
    }

    /// The step of all ranks.
    optim::StepOutcome step(Optimizer& optimizer) const {
        return optimizer.step(gradients_, inputs_.options);
    }

    /// The sum of all ranks' losses; NaN if none of them has a value.
    double value() {
        sum_->gather(all_.channel());
        double sum = std::numeric_limits<double>::quiet_NaN();
        const bool is_there = std::ranges::max(all_.channel().all_gather(has_value_ ? 1 : 0)) > 0;
        agree(all_.channel(), "minimize", fault_of([&] {
                  if (is_there) sum = sum_->rounded();
              }));
        return sum;
    }

private:
    /// Errors: BindingError.
    void find_tables() {
        std::set<std::string_view> symbols;
        for (const Slot& slot : all_.slots)
            if (!slot.is_table()) symbols.insert(slot.name);
        for (const TableRows& one : rows_) {
            const auto table = std::ranges::find(all_.slots, one.table, &Slot::name);
            if (table == all_.slots.end() || !table->is_table())
                throw BindingError("minimize: there are rows of " + one.table + ", which is " +
                                   (table == all_.slots.end() ? "no parameter" : "a dense parameter") +
                                   ": name a sharded table of the optimizer");
            if (!symbols.insert(symbol_of(one)).second)
                throw BindingError("minimize: " + symbol_of(one) +
                                   " is the name of two parameters or lists of rows that the loss may read: "
                                   "give one of them another TableRows::symbol");
            tables_.push_back(static_cast<std::size_t>(table - all_.slots.begin()));
        }
    }

    /// Dense parameters, then rows of tables.
    std::vector<optim::NamedParameter> parameters() {
        std::vector<optim::NamedParameter> found;
        for (const Slot& slot : all_.slots)
            if (!slot.is_table()) found.push_back({slot.name, slot.tensor});
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            check_rows_of(all_.slots[tables_[i]].whole, rows_[i]);
            found.push_back({symbol_of(rows_[i]), *rows_[i].rows});
        }
        return found;
    }

    /// Takes the gradients of parameters().
    void take(std::span<const Argument> found) {
        std::vector<std::vector<Argument>> parts(all_.slots.size());
        std::size_t next = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (all_.slots[i].is_table()) continue;
            const Argument& gradient = found[next++];
            if (gradient.kind() == Argument::Kind::masked) refuse_masked(all_.slots[i].name);
            if (gradient.kind() == Argument::Kind::tensor) parts[i].push_back(gradient);
        }
        const std::span<const Argument> of_rows = found.subspan(next);
        for (std::size_t i = 0; i < of_rows.size(); ++i) {
            if (of_rows[i].kind() == Argument::Kind::none)
                throw BindingError("minimize: there are rows of " + symbol_of(rows_[i]) +
                                   ", which the loss does not read");
            parts[tables_[i]].push_back(gradient_of_table(all_.slots[tables_[i]].whole, rows_[i].ids,
                                                          of_rows[i], layout_of(tables_[i], of_rows)));
        }
        gradients_.assign(parts.begin(), parts.end());
    }

    [[noreturn]] static void refuse_masked(const std::string& name) {
        throw LayoutError(
            "minimize: the gradient of " + name +
            " is masked, and the parameter is dense on every rank: write to_dense(x, 0) of what "
            "is masked in the loss, or make it a ShardedTable");
    }

    /// One layout for all gradients of a table: of rows, if each says all of its own.
    Layout layout_of(std::size_t table, std::span<const Argument> of_rows) const {
        for (std::size_t i = 0; i < of_rows.size(); ++i)
            if (tables_[i] == table && of_rows[i].kind() == Argument::Kind::masked) return Layout::coo;
        return Layout::rows;
    }

    Implementation& all_;
    detail::MinimizeInputs inputs_;
    std::vector<TableRows>& rows_ = inputs_.rows;
    std::vector<std::size_t> tables_;  // the slot of each list of rows
    std::vector<Gradient> gradients_;
    std::optional<SumOfRanks> sum_;
    bool has_value_ = false;
};

optim::StepOutcome Optimizer::minimize_loss(const std::function<ir::Value(GraphEmitter&)>& emit,
                                            const std::function<void(detail::MinimizeInputs&)>& take) {
    const detail::Call call(implementation_->channel(), "minimize");
    Loss loss(*implementation_);
    loss.look_up(take);
    loss.evaluate(emit);
    const double value = loss.value();
    optim::StepOutcome outcome = loss.step(*this);
    outcome.loss = value;
    return outcome;
}

}  // namespace frisket::mpi
