// SPDX-License-Identifier: MIT
// A step of many ranks.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "../optim/gradient_norm.hpp"
#include "../optim/parameter_state.hpp"
#include "../runtime/layouts/layout_traits.hpp"
#include "../runtime/tensor/result_memory.hpp"
#include "exact_sum.hpp"
#include "optimizer_state.hpp"
#include "part_sums.hpp"

namespace frisket::mpi {

using detail::agree;
using detail::Bytes;
using detail::fault_of;
using detail::SharedSlices;
using optim::detail::OptimizerParts;

/// Kind of one gradient on all ranks.
enum class Form : std::int64_t { none, dense, rows, coo };

namespace {

AnyTensor dense_part(const Argument& part) { return part.values().to(Device()); }

/// The sum of squares of elements times a scale, in four independent sums.
template <class T>
double squares_of(const T* from, std::int64_t length, double scale) {
    std::array<double, 4> sums{};
    const auto square = [&](std::int64_t i) {
        const double scaled = static_cast<double>(from[i]) * scale;
        return scaled * scaled;
    };
    std::int64_t i = 0;
    for (; i + 4 <= length; i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane)
            sums[lane] += square(i + static_cast<std::int64_t>(lane));
    for (; i < length; ++i) sums[0] += square(i);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Adds the squares of runs of so many elements: of every `step`th, from run `first` on.
void add_squares(const AnyTensor& values, std::int64_t length, double scale, ExactSum& sum,
                 std::int64_t first = 0, std::int64_t step = 1) {
    if (values.size() == 0) return;
    const AnyTensor whole = detail::row_major(values.to(info_of(values.dtype()).compute));
    const bool is_double = whole.dtype() == DType::float64;
    for (std::int64_t at = first * length; at < whole.size(); at += step * length) {
        const std::int64_t count = std::min(length, whole.size() - at);
        sum.add(is_double ? squares_of(static_cast<const double*>(whole.data()) + at, count, scale)
                          : squares_of(static_cast<const float*>(whole.data()) + at, count, scale));
    }
}

}  // namespace

/// One step; its functions are called in the order of their declaration.
class Optimizer::Step {
public:
    Step(Implementation& all, std::span<const Gradient> gradients, const optim::GradientOptions& options)
        : all_(all), channel_(all.channel()), gradients_(gradients), options_(options) {}

    /// Ranks tell each other what they have; all that they can have wrong is found.
    void compare() {
        const std::size_t count = all_.slots.size();
        std::vector<std::int64_t>& own = all_.said;
        const std::exception_ptr fault = fault_of([&] {
            forms_.resize(count);
            counts_.assign(count, std::vector<std::int64_t>(static_cast<std::size_t>(channel_.size())));
            local_.resize(count);
            sums_.resize(count);
            check();
            for (std::size_t i = 0; i < count; ++i) {
                own[1 + 2 * i] = static_cast<std::int64_t>(form_of(i));
                own[2 + 2 * i] = parts_of(i);
            }
            std::ranges::transform(all_.options(options_), own.end() - std::ssize(options_of(0)),
                                   [](double number) { return std::bit_cast<std::int64_t>(number); });
        });
        own[0] = fault != nullptr ? 1 : 0;
        channel_.all_gather(own, all_.heard);
        for (int rank = 0; rank < channel_.size(); ++rank)
            if (heard_of(rank)[0] != 0) agree(channel_, "step", fault);
        for (int rank = 1; rank < channel_.size(); ++rank)
            if (!std::ranges::equal(options_of(rank), options_of(0))) refuse_options();
        find_forms();
    }

    /// Entries go to their owners, and parts to those who sum them.
    void send() {
        std::vector<Bytes> outgoing;
        agree(channel_, "step", fault_of([&] {
                  outgoing.resize(static_cast<std::size_t>(channel_.size()));
                  for (std::size_t i = 0; i < forms_.size(); ++i) {
                      if (!is_sent(i)) continue;
                      if (is_list(i)) {
                          pack(slot(i).whole, *slot(i).placement, parts(i), outgoing);
                          continue;
                      }
                      std::vector<AnyTensor> dense;
                      for (const Argument& part : parts(i)) dense.push_back(dense_part(part));
                      sums_[i].emplace(channel_, slot(i).whole.dtype, counts_[i], slot(i).slices, dense);
                  }
              }));
        if (has_lists()) entries_.emplace(channel_, "step", std::move(outgoing));
        for (std::optional<PartSums>& sums : sums_)
            if (sums) sums->send();
    }

    /// Makes the gradients that this rank's steps take.
    void receive() {
        if (entries_) entries_->wait();
        std::vector<SharedSlices> shared;
        agree(channel_, "step", fault_of([&] {
                  std::vector<std::span<const std::byte>> incoming;
                  for (int rank = 0; entries_ && rank < channel_.size(); ++rank)
                      incoming.push_back(entries_->from(rank));
                  for (std::size_t i = 0; i < forms_.size(); ++i) {
                      if (forms_[i] == Form::none) continue;
                      if (!is_sent(i))
                          local_[i] = gradients_[i].parts()[0];
                      else if (is_list(i))
                          local_[i] = unpack(slot(i).whole, *slot(i).placement, layout_of(i), incoming);
                      else if (slot(i).is_sharded())
                          local_[i] = own_sum(i);
                      else
                          shared.emplace_back(channel_, whole_sum(i), slot(i).slices);
                  }
              }));
        for (SharedSlices& one : shared) one.share();
    }

    optim::StepOutcome run() {
        optim::StepOutcome report;
        optim::ScaledSquares squares;
        if (optim::wants_norm(options_))
            squares = optim::squares_in_range([this](double scale) { return squares_of_all(scale); });
        const optim::Scaling scaling{optim::factor_of(squares, options_, report), options_.clip_value};
        if (report.is_skipped) return report;
        std::optional<OptimizerParts::PreparedStep> step;
        std::vector<SharedSlices> shared;
        agree(channel_, "step", fault_of([&] {
                  OptimizerParts::Implementation& steps = OptimizerParts::of(*all_.steps);
                  steps.check_gradients(local_);
                  step.emplace(steps, local_, scaling);
                  for (std::size_t i = 0; i < forms_.size(); ++i)
                      if (forms_[i] != Form::none && slot(i).is_sharded() && !slot(i).is_table())
                          shared.emplace_back(channel_, slot(i).tensor, slot(i).slices);
              }));
        step->run();
        for (SharedSlices& one : shared) one.share();
        return report;
    }

private:
    /// Numbers that a rank has sent: if it has a fault, form and number of parts of each gradient, and
    /// its options.
    std::span<const std::int64_t> heard_of(int rank) const {
        const std::size_t each = all_.said.size();
        return std::span(all_.heard).subspan(static_cast<std::size_t>(rank) * each, each);
    }

    std::span<const std::int64_t> options_of(int rank) const {
        return heard_of(rank).subspan(1 + 2 * all_.slots.size());
    }

    /// Errors: ValueError, the same on all ranks.
    void find_forms() {
        for (std::size_t i = 0; i < forms_.size(); ++i) {
            for (int rank = 0; rank < channel_.size(); ++rank) {
                const auto form = static_cast<Form>(heard_of(rank)[1 + 2 * i]);
                counts_[i][static_cast<std::size_t>(rank)] = heard_of(rank)[2 + 2 * i];
                if (form == Form::none) continue;
                if (forms_[i] != Form::none && forms_[i] != form)
                    throw ValueError(
                        "step: the gradient of " + slot(i).name +
                        " is a list of rows on some ranks and one of elements on others: give one "
                        "layout on all");
                forms_[i] = form;
            }
        }
    }

    const Slot& slot(std::size_t i) const { return all_.slots[i]; }
    bool is_list(std::size_t i) const { return slot(i).is_table(); }
    Layout layout_of(std::size_t i) const { return forms_[i] == Form::rows ? Layout::rows : Layout::coo; }

    /// The sum of a replicated parameter's gradient, of which this rank's slice is there yet.
    AnyTensor whole_sum(std::size_t i) {
        const std::vector<std::int64_t>& slices = slot(i).slices;
        const auto rank = static_cast<std::size_t>(channel_.rank());
        const AnyTensor all = runtime::result_tensor(slot(i).whole.dtype, Shape{slices.back()});
        sums_[i]->sum_to(all.slice(0, slices[rank], slices[rank + 1]));
        local_[i] = all.reshape(slot(i).whole.shape);
        return all;
    }

    /// The sum of this rank's rows.
    AnyTensor own_sum(std::size_t i) {
        const AnyTensor sum = runtime::result_tensor(slot(i).whole.dtype, slot(i).local.shape());
        sums_[i]->sum_to(sum);
        return sum;
    }

    /// The squares of all gradients of all ranks, times a scale.
    double squares_of_all(double scale) {
        std::optional<SumOfRanks> sum;
        agree(channel_, "step", fault_of([&] {
                  ExactSum own;
                  add_squares_to(own, scale);
                  sum.emplace(channel_);
                  sum->take(own);
              }));
        sum->gather(channel_);
        double squares = 0;
        agree(channel_, "step", fault_of([&] { squares = sum->rounded(); }));
        return squares;
    }

    /// On one rank the step takes a gradient of one part as it is.
    bool is_sent(std::size_t i) const {
        return forms_[i] != Form::none && (channel_.size() > 1 || gradients_[i].parts().size() > 1);
    }

    bool has_lists() const {
        for (std::size_t i = 0; i < forms_.size(); ++i)
            if (is_sent(i) && is_list(i)) return true;
        return false;
    }

    void check() const {
        optim::check(options_);
        OptimizerParts::of(*all_.steps).check_options();
        if (gradients_.size() != all_.slots.size())
            throw BindingError("a step takes " + std::to_string(gradients_.size()) + " gradients for " +
                               std::to_string(all_.slots.size()) +
                               " parameters: give one for each, {} for one that has none");
        for (std::size_t i = 0; i < gradients_.size(); ++i)
            for (const Argument& part : gradients_[i].parts()) check(slot(i), part);
    }

    static void check(const Slot& slot, const Argument& part) {
        const std::string where = "the gradient of " + slot.name;
        if (part.kind() != Argument::Kind::tensor && part.kind() != Argument::Kind::masked)
            throw BindingError(where + " is a number, wanted a tensor or a masked tensor");
        const DType dtype = part.values().dtype();
        if (part.shape() != slot.whole.shape)
            throw ShapeError(where + " has shape " + to_string(part.shape()) + ", the whole parameter has " +
                             to_string(slot.whole.shape) + ": they must be equal");
        if (dtype != slot.whole.dtype)
            throw DTypeError(where + " is " + std::string(name_of(dtype)) + ", wanted " +
                             std::string(name_of(slot.whole.dtype)) + ", as the parameter");
        if (slot.is_table()) {
            list_layout(where, part);
        } else if (runtime::has_mask(part.layout())) {
            throw LayoutError(where + " has layout " + std::string(name_of(part.masked().layout())) +
                              ", and the parameter is dense on every rank: make it a ShardedTable, or write "
                              "gradient.to_dense(0)");
        }
    }

    Form form_of(std::size_t i) const {
        if (gradients_[i].parts().empty()) return Form::none;
        if (!slot(i).is_table()) return Form::dense;
        Form form = Form::none;
        for (const Argument& part : gradients_[i].parts()) {
            const Form one = list_layout("", part) == Layout::rows ? Form::rows : Form::coo;
            if (form != Form::none && one != form)
                throw ValueError("the parts of the gradient of " + slot(i).name +
                                 " are lists of rows and of elements: give one layout");
            form = one;
        }
        return form;
    }

    std::int64_t parts_of(std::size_t i) const {
        const auto count = static_cast<std::int64_t>(gradients_[i].parts().size());
        return all_.settings.sums == Sums::bytes_depend_on_ranks ? std::min<std::int64_t>(count, 1) : count;
    }

    [[noreturn]] void refuse_options() const {
        std::vector<detail::Fact> facts = all_.option_facts();
        const auto add = [&](const char* name, double value) {
            facts.push_back({std::string("option ") + name, optim::detail::option_text(value)});
        };
        add("scale", options_.scale);
        add("clip_norm", options_.clip_norm);
        add("clip_value", options_.clip_value);
        add("skip_nonfinite", options_.skip_nonfinite ? 1 : 0);
        check_same(channel_, "step", facts);
        throw Bug("step: ranks have options that differ, and the same texts of them");
    }

    /// The parts of this rank, added first where bytes may depend on that.
    std::vector<Argument> parts(std::size_t i) const {
        const std::vector<Argument>& given = gradients_[i].parts();
        if (all_.settings.sums == Sums::same_for_any_ranks || given.empty()) return given;
        return {is_list(i) ? merged(i, given) : added(given)};
    }

    /// Entries of one position become one.
    Argument merged(std::size_t i, const std::vector<Argument>& given) const {
        const Placement all(Partition::blocks(), {slot(i).whole.shape[0], 1}, 0);
        std::vector<Bytes> packed(1);
        pack(slot(i).whole, all, given, packed);
        std::span<const std::byte> bytes = packed[0];
        const Layout layout = form_of(i) == Form::rows ? Layout::rows : Layout::coo;
        return unpack(slot(i).whole, all, layout, {&bytes, 1}).coalesce();
    }

    static Argument added(const std::vector<Argument>& given) {
        std::vector<AnyTensor> dense;
        for (const Argument& part : given) dense.push_back(dense_part(part));
        return sum_of_parts(dense);
    }

    void add_squares_to(ExactSum& sum, double scale) const {
        constexpr std::int64_t run = 1024;
        for (std::size_t i = 0; i < local_.size(); ++i) {
            if (local_[i].kind() == Argument::Kind::none) continue;
            if (is_list(i)) {
                const AnyMasked list = local_[i].masked().coalesce();
                add_squares(list.values(), list.layout() == Layout::rows ? slot(i).whole.row_length() : 1,
                            scale, sum);
            } else if (slot(i).is_sharded()) {
                add_squares(dense_part(local_[i]), slot(i).whole.row_length(), scale, sum);
            } else {
                add_squares(dense_part(local_[i]), run, scale, sum, channel_.rank(), channel_.size());
            }
        }
    }

    Implementation& all_;
    detail::Channel& channel_;
    std::span<const Gradient> gradients_;
    const optim::GradientOptions& options_;
    std::vector<Form> forms_;
    std::vector<std::vector<std::int64_t>> counts_;  // parts of each rank
    std::optional<detail::Exchange> entries_;
    std::vector<std::optional<PartSums>> sums_;
    std::vector<Argument> local_;
};

optim::StepOutcome Optimizer::step(std::span<const Gradient> gradients,
                                   const optim::GradientOptions& options) {
    const detail::Call call(implementation_->channel(), "step");
    Step step(*implementation_, gradients, options);
    step.compare();
    step.send();
    step.receive();
    return step.run();
}

optim::StepOutcome Optimizer::step(std::initializer_list<NamedGradient> gradients,
                                   const optim::GradientOptions& options) {
    const detail::Call call(implementation_->channel(), "step");
    std::vector<Gradient> ordered;
    agree(implementation_->channel(), "step", fault_of([&] {
              const std::vector<std::string> names = OptimizerParts::of(*implementation_->steps).names();
              ordered.resize(names.size());
              std::vector<bool> is_given(names.size());
              for (const NamedGradient& given : gradients) {
                  const std::size_t place = optim::place_of_gradient(names, given.name);
                  if (is_given[place]) optim::refuse_second_gradient(given.name);
                  is_given[place] = true;
                  ordered[place] = given.gradient;
              }
          }));
    return step(ordered, options);
}

}  // namespace frisket::mpi
