// SPDX-License-Identifier: MIT
// Makes steps of parameters whose rows or state are distributed over ranks.
#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../optim/optimizer.hpp"
#include "sharded_table.hpp"

namespace frisket::mpi {

/// Where the state of a dense parameter is stored.  The parameter itself is on every rank.
enum class DenseState : std::uint8_t {
    replicated,  ///< on every rank, each of which takes the whole step
    /// Rows of it on each rank, which takes the step of these and sends them to the other ranks.
    sharded,
};

/// Sums of what ranks have of one gradient.
enum class Sums : std::uint8_t {
    same_for_any_ranks,  ///< in an order in which ranks do not occur
    /// Each rank adds its own parts and duplicates first, and sends one sum: less to send, and other bytes
    /// with another number of ranks.
    bytes_depend_on_ranks,
};

/// A parameter: a sharded table, or a dense tensor with the same elements on all ranks.
struct Parameter {
    /// A table.
    Parameter(std::string parameter_name, ShardedTable sharded)
        : name(std::move(parameter_name)), table(std::move(sharded)) {}
    /// A dense tensor, updated in place.
    Parameter(std::string parameter_name, AnyTensor dense, DenseState where = DenseState::replicated)
        : name(std::move(parameter_name)), tensor(std::move(dense)), state(where) {}

    std::string name;                           ///< prefix of the names of its state
    std::optional<ShardedTable> table = {};     ///< the table, if it is one
    AnyTensor tensor = {};                      ///< the tensor, if it is none
    DenseState state = DenseState::replicated;  ///< of a tensor
};

/// A rank's gradient of a parameter: of a table a list (layout rows, coo or csr) over the whole table, of a
/// dense parameter a tensor; `{}`: this rank has none.  A batch that is computed in several parts has one for
/// each: {first, second}.  The bytes of a step are those of all parts in the order of ranks, however many
/// ranks share them.
class Gradient {
public:
    Gradient() = default;
    /// A gradient of one part.
    Gradient(const Argument& part) {
        if (part.kind() != Argument::Kind::none) parts_.push_back(part);
    }
    /// A gradient of one part.
    Gradient(const AnyTensor& part) : Gradient(Argument(part)) {}
    /// A gradient of one part.
    Gradient(const AnyMasked& part) : Gradient(Argument(part)) {}
    /// A gradient of several parts, in their order.
    Gradient(std::vector<Argument> parts) : parts_(std::move(parts)) {}

    /// The parts, in their order.
    const std::vector<Argument>& parts() const noexcept { return parts_; }

private:
    std::vector<Argument> parts_;
};

/// A gradient of a parameter by name.
struct NamedGradient {
    std::string name;   ///< parameter
    Gradient gradient;  ///< gradient of this rank
};

/// Rows of a table that a loss reads: its symbol `symbol` is the tensor of these rows, of the ids' shape and
/// then a row's.  A loss may read several of one table, under several symbols.
struct TableRows {
    std::string table;                   ///< name of the parameter
    AnyTensor ids;                       ///< numbers of rows: int32 or int64
    std::string symbol = {};             ///< its name in the loss; empty: that of the parameter
    std::optional<AnyTensor> rows = {};  ///< what a lookup of the ids gave; none: minimize() looks them up
};

namespace detail {
/// Arguments of minimize() that follow the loss.
struct MinimizeInputs : optim::detail::MinimizeInputs {
    std::vector<TableRows> rows = {};

    using optim::detail::MinimizeInputs::take;
    void take(const TableRows& given) { rows.push_back(given); }
};
}  // namespace detail

/// An optim::Optimizer over parameters of many ranks: it has the same rules, options and groups.  All ranks
/// make it alike, and call its functions together, in one order.
/// Errors: where one rank has one, all throw an Error which names that rank, and nothing is changed.
class Optimizer {
public:
    /// Settings of all groups.
    struct Settings {
        optim::Optimizer::Settings steps = {};  ///< settings of the steps
        Sums sums = Sums::same_for_any_ranks;   ///< order of sums
    };

    /// Errors: those of optim::Optimizer; ValueError if ranks differ in rules, options, settings or
    /// parameters, of a table whose rule puts elements of several rows together, and without any table or
    /// communicator.
    Optimizer(const optim::AnyRule& rule, const std::vector<Parameter>& parameters)
        : Optimizer(Settings(), rule, parameters) {}
    /// An optimizer with settings.  Its ranks are the ranks of its first table.
    Optimizer(const Settings& settings, const optim::AnyRule& rule, const std::vector<Parameter>& parameters);
    /// An optimizer of the ranks of a communicator.
    Optimizer(const Communicator& communicator, const Settings& settings, const optim::AnyRule& rule,
              const std::vector<Parameter>& parameters);
    ~Optimizer();
    Optimizer(Optimizer&&) noexcept;
    Optimizer& operator=(Optimizer&&) noexcept;

    /// More parameters, with a rule and options of their own; returns the number of the group.
    int add_group(const optim::AnyRule& rule, const std::vector<Parameter>& parameters);
    /// The options of a group, to read and to change, equally on all ranks: the next step() compares them.
    /// Errors: IndexError; ValueError if the group's rule is another.
    template <optim::OptimizerRule Rule>
    Rule& options(int group = 0) {
        return rule(group).get<Rule>();
    }
    /// The rule of a group.  Errors: IndexError.
    optim::AnyRule& rule(int group = 0);
    /// Number of groups.
    int group_count() const;

    /// Updates all parameters, each by its gradient, in the order in which parameters were added.
    /// The norm that clip_norm bounds is that of all gradients together, each summed first; its squares are
    /// added without an error, so that it is one number for any number of ranks.
    /// Errors: those of optim::Optimizer::step; LayoutError of a table's gradient that is no list, or of a
    /// dense parameter's that is one; ValueError if ranks give lists of other layouts or other options.
    optim::StepOutcome step(std::span<const Gradient> gradients, const optim::GradientOptions& options = {});
    /// Updates all parameters by a list of gradients in braces.
    optim::StepOutcome step(std::initializer_list<Gradient> gradients,
                            const optim::GradientOptions& options = {}) {
        return step(std::span(gradients.begin(), gradients.size()), options);
    }

    /// Updates parameters by named gradients; parameters that no rank names are left out.
    /// Errors: as above; BindingError of a name that no parameter has, or that is there twice.
    optim::StepOutcome step(std::initializer_list<NamedGradient> gradients,
                            const optim::GradientOptions& options = {});

    /// Evaluates this rank's loss, of its part of the batch, and its gradients, and takes a step with the
    /// gradients of all ranks: that of the sum of their losses, which the outcome has as its loss.  A mean
    /// over the whole batch is a sum that is divided by the number of all its elements.
    /// The loss is that of optim::Optimizer::minimize, but that it reads rows of tables:
    /// `minimize(sum(square(users - wanted)), TableRows{"users", ids}, wanted = tensor)`.  Dense parameters
    /// of which it reads the tensors, or symbols of their names, are updated as well.
    /// Errors: those of lookup, step and optim::Optimizer::minimize; BindingError for rows of what is no
    /// table, or a symbol of two; ShapeError and DTypeError for rows that are not those of the ids.
    template <class Loss, class... Inputs>
        requires(AnyOperand<Loss> && (optim::detail::IsOfMinimize<detail::MinimizeInputs, Inputs> && ...))
    optim::StepOutcome minimize(const Loss& loss, const Inputs&... inputs) {
        if constexpr (!is_refused<Loss>) {
            // Functions that hold one reference take no memory: without memory, all ranks must hear of it.
            const auto given = std::tie(inputs...);
            const auto take = [&given](detail::MinimizeInputs& all) {
                std::apply([&](const auto&... each) { (all.take(each), ...); }, given);
            };
            const auto emit = [&loss](GraphEmitter& emitter) {
                return frisket::detail::lowered(emitter, loss);
            };
            return minimize_loss(emit, take);
        } else {
            return {};
        }
    }

    /// As optim::Optimizer::catch_up.
    void catch_up();

    /// The state of this rank: of tables and of dense parameters with sharded state that of its rows.
    std::vector<optim::StateEntry> state() const;
    /// Errors: ValueError listing what there is.
    AnyTensor state(std::string_view parameter, std::string_view name) const;
    /// Gives this rank the state that it was kept from.  Errors: as optim::Optimizer::set_state.
    void set_state(std::span<const optim::StateEntry> entries);

    /// Writes parameters, state and options into a folder: a .safetensors file of each rank, and a manifest,
    /// `manifest.safetensors`, that names them.  It is put in place last and at once: whatever stops a save,
    /// the folder holds the last one that ended.  All ranks see the folder.
    /// Errors: IoError; ValueError as optim::Optimizer::save.
    void save(const std::string& folder) const;
    /// Restores the files that save() wrote with any number of ranks and any partition.
    /// Errors: IoError; ValueError as optim::Optimizer::load; nothing is changed then.
    void load(const std::string& folder);

private:
    struct Slot;
    struct Implementation;
    class Step;
    class Loss;
    optim::StepOutcome minimize_loss(const std::function<ir::Value(GraphEmitter&)>& loss,
                                     const std::function<void(detail::MinimizeInputs&)>& take);
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace frisket::mpi
