// SPDX-License-Identifier: MIT
#include "generator.hpp"

#include "gradients.hpp"
#include "oracle.hpp"

#include <algorithm>

namespace fuzz {

Generator::Generator(std::uint32_t seed, int instructions, Kind of)
    : random_(seed), seed_(seed), wanted_(instructions), kind_(of) {
    wanted_ -= static_cast<int>(below(instructions));
    program_.seed = seed;
    if (is_differentiable()) return;
    const std::int64_t kind = below(16);
    is_step_ = kind < 8;
    if (kind < 5) program_.as = RunAs::kernel;
    flavour_ = any_flavour(random_);
}

Program Generator::make() {
    make_inputs();
    // Loops of steps are several, and those over many dimensions long.
    if (is_step_ || base_.size() > 4) wanted_ = std::min(wanted_, 3);
    for (int tries = 0; tries < 6 * wanted_ && count() < wanted_; ++tries) try_one();
    if (is_step_)
        add_targets();
    else
        choose_results();
    return program_;
}

std::int64_t Generator::any_extent(std::size_t rank) {
    static constexpr std::int64_t extents[] = {3, 5, 2, 1, 3, 5, 17, 2, 1, 33, 17, 0, 5, 3, 20, 32};
    // Rows of several words of bits.
    static constexpr std::int64_t lengths[] = {63, 64, 65, 96, 100, 128, 130, 200, 257, 320};
    if (rank <= 2 && !is_differentiable() && one_in(rank == 1 ? 3 : 6)) return any_of(lengths);
    const std::int64_t extent = extents[below(16)];
    if (rank > 4) return std::min<std::int64_t>(extent, 1 + below(3));
    return rank > 2 && extent > 5 ? 2 : extent;
}

void Generator::make_inputs() {
    const std::size_t rank = std::array<std::size_t, 16>{
        2, 1, 2, 3, 2, 1, 2, 4, 3, 1, 2, 0, 2, 3, 5, 6}[static_cast<std::size_t>(below(16))];
    for (std::size_t d = 0; d < rank; ++d) base_.push_back(any_extent(rank));
    if (rank == 2 && one_in(6)) base_[1] = base_[0] = std::min<std::int64_t>(base_[0], 33);
    base_mask_ = random_mask_of(base_, random_);
    for (std::int64_t left = 2 + below(2); left > 0; --left) add_input(any_dtype(), any_shape());
    if (!is_differentiable() && one_in(8)) add_alias();
    if (!is_step_) return;
    if (one_in(2)) add_number(Takes::number);
    if (one_in(4)) add_number(Takes::state);
}

/// The shape of most, or one that broadcasts to it.
Shape Generator::any_shape() {
    Shape shape = base_;
    if (one_in(4) && !shape.empty()) shape.erase(shape.begin());
    if (one_in(4) && !shape.empty()) shape[static_cast<std::size_t>(below(std::ssize(shape)))] = 1;
    return shape;
}

/// Numbers of moderate size, of which no two are equal but zeros: few are at kinks of functions.
void Generator::spread_out(AnyTensor& tensor) {
    Tensor<double> values(tensor);
    for (std::int64_t i = 0; i < values.size(); ++i)
        if (values.data()[i] != 0)
            values.data()[i] =
                values.data()[i] / 4 + static_cast<double>(below(1 << 20) - (1 << 19)) * 0x1p-26;
}

int Generator::add_input(DType dtype, const Shape& shape, std::int64_t bound) {
    Input input{.values = random_values(dtype, shape, {flavour_.with, bound}, random_)};
    input.bound = bound;
    if (is_differentiable() && dtype == DType::float64) spread_out(input.values);
    if (one_in(3)) input.lies = static_cast<Lies>(below(8));
    // An element that is repeated cannot change by itself.
    if (is_differentiable() && input.lies == Lies::repeated) input.lies = Lies::rows;
    if (input.lies == Lies::repeated) repeat_first(input.values);
    if (bound > 0 ? one_in(5) : !one_in(3)) {
        const bool is_base = shape == base_ && !one_in(4);
        input.mask = is_base ? base_mask_ : random_mask_of(shape, random_);
        input.layout = any_layout(shape, *input.mask);
        input.listed = any_of({Listed::ascending, Listed::shuffled, Listed::with_duplicates});
        input.is_prepared = is_kernel() && one_in(3);
    }
    program_.inputs.push_back(std::move(input));
    return -static_cast<int>(program_.inputs.size());
}

void Generator::add_number(Takes takes) {
    const bool is_whole = takes == Takes::number && one_in(3);
    const Flavour flavour = is_whole ? Flavour{} : flavour_;
    Input input{.values = random_values(is_whole ? DType::int64 : DType::float64, {}, flavour, random_)};
    input.takes = takes;
    program_.inputs.push_back(std::move(input));
}

/// One of the tensors again, as another argument; or its memory seen with other strides.
void Generator::add_alias() {
    const std::int64_t which = below(std::ssize(program_.inputs));
    Input alias = program_.inputs[static_cast<std::size_t>(which)];
    alias.same_as = static_cast<int>(which);
    const Shape& shape = alias.values.shape();
    const bool is_square = shape.size() > 1 && shape.back() == shape[shape.size() - 2];
    if (is_square && !alias.mask && !is_kernel() && alias.lies != Lies::repeated && one_in(2)) {
        alias.is_turned = true;
        alias.values = turned(alias.values);
    }
    program_.inputs.push_back(std::move(alias));
}

Layout Generator::any_layout(const Shape& shape, const AnyTensor& mask) {
    const auto layouts = all_layouts();
    Layout layout = layouts[static_cast<std::size_t>(below(std::ssize(layouts)))];
    if (one_in(3)) return Layout::strided;
    if (one_in(4)) layout = Layout::bitmask;
    // Few masks leave whole rows.
    if (!shape.empty() && one_in(2) && same(held(Layout::rows, mask), mask)) layout = Layout::rows;
    try {
        static_cast<void>(AnyMasked::strided(AnyTensor(DType::boolean, shape), mask).to(layout));
    } catch (const LayoutError&) { return Layout::strided; }
    return layout;
}

void Generator::try_one() {
    const std::size_t inputs = program_.inputs.size();
    known_inputs_ = static_cast<std::int64_t>(inputs);
    const std::deque<Bound> tensors = store(program_, {});
    Building known(program_, tensors, {.is_step = is_step_, .has_shapes = true});
    known.add_all();
    Instruction one;
    one.form = any_form();
    const bool is_filled = fill(one, known);
    program_.instructions.push_back(one);
    if (is_filled && is_good()) {
        if (is_step_ && one_in(6)) add_target(count() - 1, true);
        return;
    }
    program_.instructions.pop_back();
    program_.inputs.resize(inputs);
}

/// Outcome of the last instruction; in a step, through a target of its own.
Outcome Generator::try_last() const {
    Program tried = program_;
    if (!is_step_) {
        tried.results = {count() - 1};
        return run(tried, {}, interpreter());
    }
    try {
        tried.as = RunAs::step;
        const std::deque<Bound> tensors = store(tried, {});
        Building known(tried, tensors, {.is_step = true, .has_shapes = true});
        known.add_all();
        const Value x = known[count() - 1];
        tried.inputs.push_back({.values = AnyTensor(x.node().result_dtype(), x.shape())});
        const int input = static_cast<int>(tried.inputs.size()) - 1;
        tried.targets.push_back(
            {.input = input, .value = count() - 1, .is_everywhere = !x.is_masked(), .is_early = false});
    } catch (const Error& error) {
        Outcome outcome;
        outcome.error = error.code();
        outcome.text = error.what();
        return outcome;
    }
    return run(tried, {}, interpreter());
}

/// True if the last instruction builds, stays small and raises no error; few programs with errors are enough.
bool Generator::is_good() {
    const Outcome outcome = try_last();
    if (outcome.error) return *outcome.error == ErrorCode::mask_mismatch && one_in(40);
    return std::ranges::all_of(outcome.results, [](const Result& result) {
        return result.values.size() <= most_elements && result.values.rank() <= 6;
    });
}

int Generator::any_form() {
    const auto table = forms();
    std::int64_t total = 0;
    for (const Form& form : table) total += weight_of(form);
    for (;;) {
        std::int64_t at = below(total);
        int i = 0;
        while ((at -= weight_of(table[static_cast<std::size_t>(i)])) >= 0) ++i;
        const Form& form = table[static_cast<std::size_t>(i)];
        if (may_stand(form)) return i;
    }
}

/// Weight of a form.  Masks meet more often in kernels: loops look at the words of several.
std::int64_t Generator::weight_of(const Form& form) const {
    const bool is_of_masks = form.name == "to_dense" || form.name == "on" || form.name == "mask_of";
    return is_kernel() && is_of_masks ? 5 * form.weight : form.weight;
}

bool Generator::may_stand(const Form& form) const {
    if (is_differentiable())
        return !form.needs_session() && form.wants != Wants::cast && form.wants != Wants::gradient;
    return is_kernel() ? form.is_elementwise() : !is_step_ || !form.needs_session();
}

int Generator::any_value() {
    if (count() > 0 && !one_in(3)) return count() - 1 - static_cast<int>(below(std::min(count(), 3)));
    return -1 - static_cast<int>(below(known_inputs_));
}

Program generate_differentiable(std::uint32_t seed, int instructions) {
    Program program = Generator(seed, instructions, Generator::Kind::differentiable).make();
    // Only the last that is float64: the gradients of earlier results belong to their own programs.
    program.results.clear();
    const std::deque<Bound> tensors = store(program, {});
    Building known(program, tensors, {});
    known.add_all();
    for (int i = static_cast<int>(program.instructions.size()); i-- > 0 && program.results.empty();)
        if (known[i].dtype() == DType::float64) program.results = {i};
    return program;
}

Program generate_idiom(std::uint32_t seed) {
    Program program = Generator(seed, 1).make_idiom();
    program.seed = seed;
    return program;
}

Program generate(std::uint32_t seed, int instructions) {
    // Some seeds give no step: the next one is taken instead.
    Program program;
    const bool is_idiom = testing::Random(seed + 1).below(8) == 0;
    for (std::uint32_t i = 0; i < 4 && program.results.empty() && program.targets.empty(); ++i) {
        Generator generator(seed + 4 * i, instructions);
        program = is_idiom && i < 2 ? generator.make_idiom() : generator.make();
    }
    program.seed = seed;
    return program;
}

}  // namespace fuzz
