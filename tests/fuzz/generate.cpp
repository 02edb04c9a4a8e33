// SPDX-License-Identifier: MIT
#include "generate.hpp"

#include "oracle.hpp"

#include <algorithm>

namespace fuzz {

namespace {

using Wants = Form::Wants;

constexpr DType all_dtypes[] = {DType::boolean, DType::int32,   DType::int64,
                                DType::float32, DType::float32, DType::float64};
constexpr std::int64_t most_elements = 6000;

/// Makes one program, instruction by instruction, each tried by the interpreter.
class Generator {
public:
    Generator(std::uint32_t seed, int instructions) : random_(seed), wanted_(instructions) {
        wanted_ -= static_cast<int>(below(instructions));
        program_.seed = seed;
        is_step_ = below(4) == 0;
        is_wild_ = below(3) == 0;
    }

    Program make() {
        make_inputs();
        for (int tries = 0; tries < 6 * wanted_ && count() < wanted_; ++tries) try_one();
        if (is_step_) add_targets();
        if (!program_.is_step()) choose_results();
        return program_;
    }

private:
    std::int64_t below(std::int64_t bound) { return random_.below(bound); }
    bool one_in(std::int64_t n) { return below(n) == 0; }
    int count() const { return static_cast<int>(program_.instructions.size()); }
    template <class T, std::size_t N>
    T any_of(const T (&list)[N]) {
        return list[below(N)];
    }

    std::int64_t any_extent(std::size_t rank) {
        static constexpr std::int64_t extents[] = {3, 5, 2, 1, 3, 5, 17, 2, 1, 33, 17, 0, 5, 3, 17, 33};
        const std::int64_t extent = extents[below(16)];
        return rank > 2 && extent > 5 ? 2 : extent;
    }

    void make_inputs() {
        const std::size_t rank = std::array<std::size_t, 12>{
            2, 1, 2, 3, 2, 1, 2, 4, 3, 1, 2, 0}[static_cast<std::size_t>(below(12))];
        for (std::size_t d = 0; d < rank; ++d) base_.push_back(any_extent(rank));
        base_mask_ = random_mask_of(base_, random_);
        for (std::int64_t left = 2 + below(2); left > 0; --left) add_input(any_of(all_dtypes), any_shape());
    }

    /// The shape of most, or one that broadcasts to it.
    Shape any_shape() {
        Shape shape = base_;
        if (one_in(4) && !shape.empty()) shape.erase(shape.begin());
        if (one_in(4) && !shape.empty()) shape[static_cast<std::size_t>(below(std::ssize(shape)))] = 1;
        return shape;
    }

    int add_input(DType dtype, const Shape& shape, std::int64_t bound = 0) {
        Input input{.values = random_values(dtype, shape, {is_wild_, bound}, random_)};
        input.bound = bound;
        if (one_in(3)) input.lies = static_cast<Lies>(below(7));
        if (input.lies == Lies::repeated) repeat_first(input.values);
        if (bound > 0 ? one_in(5) : !one_in(3)) {
            const bool is_base = shape == base_ && !one_in(4);
            input.mask = is_base ? base_mask_ : random_mask_of(shape, random_);
            input.layout = any_layout(shape, *input.mask);
        }
        program_.inputs.push_back(std::move(input));
        return -static_cast<int>(program_.inputs.size());
    }

    Layout any_layout(const Shape& shape, const AnyTensor& mask) {
        const auto layouts = all_layouts();
        const Layout layout = layouts[static_cast<std::size_t>(below(std::ssize(layouts)))];
        if (one_in(3)) return Layout::strided;
        try {
            static_cast<void>(AnyMasked::strided(AnyTensor(DType::boolean, shape), mask).to(layout));
        } catch (const LayoutError&) { return Layout::strided; }
        return layout;
    }

    void try_one() {
        Session session(program_);
        const std::size_t inputs = program_.inputs.size();
        known_inputs_ = static_cast<std::int64_t>(inputs);
        Instruction one;
        one.form = any_form();
        const bool is_filled = fill(one, session);
        program_.instructions.push_back(one);
        if (is_filled && is_good({count() - 1})) return;
        program_.instructions.pop_back();
        program_.inputs.resize(inputs);
    }

    /// Whether it builds, stays small and gives no error; few programs with errors are enough.
    bool is_good(const std::vector<int>& results) {
        Program tried = program_;
        tried.results = results;
        const Outcome outcome = run(tried, {}, interpreter());
        if (outcome.error) return *outcome.error == ErrorCode::mask_mismatch && one_in(40);
        return std::ranges::all_of(outcome.results, [](const Result& result) {
            return result.values.size() <= most_elements && result.values.rank() <= 5;
        });
    }

    int any_form() {
        const auto table = forms();
        std::int64_t total = 0;
        for (const Form& form : table) total += form.weight;
        for (;;) {
            std::int64_t at = below(total);
            int i = 0;
            while ((at -= table[static_cast<std::size_t>(i)].weight) >= 0) ++i;
            if (!is_step_ || !table[static_cast<std::size_t>(i)].needs_session()) return i;
        }
    }

    /// What is known of the values that there are.
    struct Session {
        explicit Session(const Program& program) : tensors(store(program, {})), session("fuzz") {
            for (const Bound& bound : tensors) {
                const auto* masked = std::get_if<AnyMasked>(&bound);
                inputs.push_back(masked ? session.masked(*masked)
                                        : session.tensor(std::get<AnyTensor>(bound)));
            }
            for (const Instruction& one : program.instructions)
                made.push_back(build_one(one, &session, inputs, made));
        }
        Expr operator[](int operand) const { return value_of(operand, inputs, made); }
        std::deque<Bound> tensors;
        build::Session session;
        std::vector<Expr> inputs, made;
    };

    /// Recent values more often than inputs.
    int any_value() {
        if (count() > 0 && !one_in(3)) return count() - 1 - static_cast<int>(below(std::min(count(), 3)));
        return -1 - static_cast<int>(below(known_inputs_));
    }
    /// One for which `fits` holds, if there is one.
    template <class Fits>
    std::optional<int> value_where(Fits&& fits) {
        for (int tries = 0; tries < 8; ++tries)
            if (const int value = any_value(); fits(value)) return value;
        return {};
    }

    bool fill(Instruction& one, const Session& session);
    bool fill_shapes(Instruction& one, Wants wants, Expr x);
    bool fill_more(Instruction& one, Wants wants, const Session& session, int first);
    void fill_mode(Instruction& one, const Session& session);
    OpId any_op(int arity);
    void add_targets();
    void choose_results();

    testing::Random random_;
    int wanted_;
    bool is_step_ = false, is_wild_ = false;
    Program program_;
    std::int64_t known_inputs_ = 0;  ///< those that the instruction being chosen can read
    Shape base_;
    AnyTensor base_mask_;
};

OpId Generator::any_op(int arity) {
    for (;;) {
        const auto i = static_cast<std::size_t>(below(std::ssize(op_table())));
        if (op_table()[i].arity == arity) return static_cast<OpId>(i);
    }
}

/// Masks that may differ meet in a way that allows it, but for a few.
void Generator::fill_mode(Instruction& one, const Session& session) {
    const Expr x = session[one.operands[0]], y = session[one.operands[1]];
    const bool meets = x.is_masked() && y.is_masked() && x.node().mask != y.node().mask;
    const bool are_inputs = one.operands[0] < 0 && one.operands[1] < 0;
    if (meets ? are_inputs && one_in(2) : !one_in(8)) return;
    const bool unites = info(one.op).unites && one_in(2);
    one.mode = unites ? MaskMode::unite : MaskMode::intersection;
}

bool Generator::fill_shapes(Instruction& one, Wants wants, Expr x) {
    const std::int64_t rank = std::max(x.rank(), 1);
    one.dim = static_cast<int>(below(rank));
    one.a = below(rank);
    one.b = below(rank);
    switch (wants) {
        case Wants::select: one.a = below(2) - 1; break;
        case Wants::roll: one.a = below(7) - 3; break;
        case Wants::slice:
            one.a = any_of<std::int64_t>({0, 1, 1, 2, -2});
            one.b = any_of<std::int64_t>({-1, 3, 17, 2, 100});
            break;
        case Wants::flatten:
            if (one.a > one.b) std::swap(one.a, one.b);
            break;
        case Wants::reshape:
            one.shape = x.shape();
            if (one_in(3)) one.shape = {-1};
            std::ranges::reverse(one.shape);
            if (one_in(2) && !one.shape.empty()) one.shape.insert(one.shape.begin(), 1);
            break;
        case Wants::unsqueeze: one.dim = static_cast<int>(below(x.rank() + 1)); break;
        case Wants::expand:
            one.shape = x.shape();
            for (std::size_t d = 0; d < one.shape.size(); ++d)
                if (one.shape[d] == 1 && d < base_.size()) one.shape[d] = base_[d];
            if (one_in(2)) one.shape.insert(one.shape.begin(), 3);
            break;
        case Wants::repeat:
            for (int d = 0; d < x.rank(); ++d) one.shape.push_back(1 + below(2));
            break;
        case Wants::diagonal: one.b = (one.a + 1) % rank; break;
        default: break;
    }
    return true;
}

bool Generator::fill(Instruction& one, const Session& session) {
    const Form& form = forms()[static_cast<std::size_t>(one.form)];
    const int first = any_value();
    const Expr x = session[first];
    one.operands = {first};
    one.number = any_of({0.5, -1.0, 2.0, 3.0, 0.0, 1.5, -2.5});
    one.flag = one_in(2);
    switch (form.wants) {
        case Wants::unary:
            one.op = any_op(1);
            // NaN that arithmetic makes have either sign.
            if (one.op == op_id<op::Signbit> && first >= 0) return false;
            return accepts(info(one.op).accepts, x.dtype());
        case Wants::number:
            one.op = any_op(2);
            one.a = any_of<std::int64_t>({1, 2, 3, -1, -2, 7, 31, 0});
            return true;
        case Wants::fill: return true;
        case Wants::cast: one.dtype = any_of(all_dtypes); return true;
        case Wants::clamp: one.a = below(4) - 3, one.b = below(4); return true;
        case Wants::dims:
        case Wants::norm:
            one.number = any_of({2.0, 1.0, 0.0, std::numeric_limits<double>::infinity(), 3.0,
                                 -std::numeric_limits<double>::infinity()});
            if (one_in(4)) return true;
            one.dims.emplace();
            for (int dim = 0; dim < x.rank(); ++dim)
                if (one_in(2)) one.dims->push_back(dim);
            return true;
        case Wants::dim_or_none:
            if (x.rank() > 0 && !one_in(4)) one.dim = static_cast<int>(below(x.rank()));
            return true;
        case Wants::normalize:
        case Wants::dim: one.number = one_in(2) ? 2 : 1; return fill_shapes(one, form.wants, x);
        default: break;
    }
    return fill_shapes(one, form.wants, x) && fill_more(one, form.wants, session, first);
}

/// Operands beside the first.
bool Generator::fill_more(Instruction& one, Wants wants, const Session& session, int first) {
    const Expr x = session[first];
    const auto add = [&](std::optional<int> value) {
        if (value) one.operands.push_back(*value);
        return value.has_value();
    };
    const auto fits = [&](int value) {
        const Shape& shape = session[value].shape();
        return broadcasts_to(shape, x.shape()) || broadcasts_to(x.shape(), shape);
    };
    const auto is_bool = [&](int value) { return session[value].dtype() == DType::boolean; };
    const auto index = [&](const Shape& shape, int dim) {
        const std::int64_t extent = x.shape().at(static_cast<std::size_t>(dim));
        return add_input(one_in(3) ? DType::int32 : DType::int64, shape, std::max<std::int64_t>(extent, 1));
    };
    switch (wants) {
        case Wants::binary:
            one.op = any_op(2);
            if (!add(value_where(fits))) return false;
            fill_mode(one, session);
            return true;
        case Wants::where: {
            const auto condition = value_where([&](int value) { return is_bool(value) && fits(value); });
            one.operands = {condition ? *condition : add_input(DType::boolean, x.shape()), first};
            return add(value_where(fits));
        }
        case Wants::mask: {
            const auto mask = value_where([&](int value) {
                return is_bool(value) && broadcasts_to(session[value].shape(), x.shape());
            });
            return add(mask ? *mask : add_input(DType::boolean, x.shape()));
        }
        case Wants::condition: return add(add_input(DType::boolean, x.shape()));
        case Wants::index: return x.rank() > 0 && add(index({1 + below(5)}, *one.dim));
        case Wants::gather: {
            if (x.rank() == 0) return false;
            Shape shape = x.shape();
            shape[static_cast<std::size_t>(*one.dim)] = 1 + below(5);
            return add(index(shape, *one.dim));
        }
        case Wants::indices: return x.rank() > 1 && add(index({1 + below(5)}, 0)) && add(index({1}, 1));
        case Wants::join: return add(value_where([&](int v) { return session[v].rank() == x.rank(); }));
        case Wants::matmul:
        case Wants::linear: {
            if (x.rank() == 0) return false;
            const std::int64_t out = any_extent(3);
            const Shape shape =
                wants == Wants::linear ? Shape{out, x.shape().back()} : Shape{x.shape().back(), out};
            return add(one_in(3) ? value_where([](int) { return true; })
                                 : add_input(any_of(all_dtypes), shape));
        }
        default: return true;
    }
}

/// Updates of targets of the shape of most.
void Generator::add_targets() {
    const std::int64_t wanted = 1 + below(2);
    for (int value = count() - 1; value >= 0 && std::ssize(program_.targets) < wanted; --value) {
        Session session(program_);
        const Expr x = session[value];
        const auto known = std::ranges::find_if(program_.inputs, [&](const Input& input) {
            return !input.mask && input.bound == 0 && input.values.shape() == x.shape() &&
                   input.values.dtype() == x.dtype() && input.lies != Lies::repeated;
        });
        if (known != program_.inputs.end() && one_in(2)) {  // what the step reads as well
            const int input = static_cast<int>(known - program_.inputs.begin());
            if (std::ranges::find(program_.targets, input, &Target::input) != program_.targets.end())
                continue;
            program_.targets.push_back({input, value, !x.is_masked()});
            continue;
        }
        const DType dtype = one_in(4) && x.dtype() != DType::boolean ? DType::float64 : x.dtype();
        Input target{.values = random_values(dtype, x.shape(), {is_wild_, 0}, random_)};
        if (one_in(3)) target.lies = static_cast<Lies>(below(4));
        program_.inputs.push_back(target);
        const int input = static_cast<int>(program_.inputs.size()) - 1;
        program_.targets.push_back({input, value, !x.is_masked()});
    }
}

/// What nothing reads, and now and then what something does.
void Generator::choose_results() {
    std::vector<bool> is_read(program_.instructions.size());
    for (const Instruction& one : program_.instructions)
        for (const int operand : one.operands)
            if (operand >= 0) is_read[static_cast<std::size_t>(operand)] = true;
    for (int i = 0; i < count(); ++i)
        if (!is_read[static_cast<std::size_t>(i)] || one_in(5)) program_.results.push_back(i);
}

}  // namespace

Program generate(std::uint32_t seed, int instructions) { return Generator(seed, instructions).make(); }

}  // namespace fuzz
