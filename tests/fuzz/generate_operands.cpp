// SPDX-License-Identifier: MIT
#include "generator.hpp"

#include <algorithm>
#include <limits>

/// Operands of generated instructions.
namespace fuzz {

OpId Generator::any_op(int arity) {
    for (;;) {
        const auto i = static_cast<std::size_t>(below(std::ssize(op_table())));
        const OpInfo& row = op_table()[i];
        // No gradient passes to an order, though the function changes with it; one passes to the operand of
        // zero, though the result does not.
        const bool is_partial = (row.parameters > 0 && arity == 2) || row.name == "zero";
        const bool is_refused = is_differentiable() && is_partial;
        if (row.arity == arity && !is_refused) return static_cast<OpId>(i);
    }
}

/// Masks that may differ meet in a way that allows it, but for a few.
void Generator::fill_mode(Instruction& one, const Building& known) {
    const Value x = known[one.operands[0]], y = known[one.operands[1]];
    const bool meets = x.is_masked() && y.is_masked() && x.node().mask != y.node().mask;
    const bool are_inputs = one.operands[0] < 0 && one.operands[1] < 0;
    if (meets ? are_inputs && one_in(2) : !one_in(8)) return;
    const bool unites = info_of(one.op).unites && one_in(2);
    one.mode = unites ? MaskMode::unite : MaskMode::intersection;
}

void Generator::fill_shapes(Instruction& one, Wants wants, Value x) {
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
}

bool Generator::fill(Instruction& one, const Building& known) {
    const Form& form = forms()[static_cast<std::size_t>(one.form)];
    int first = any_value();
    if (form.name == "to_dense")
        if (const auto masked = value_where([&](int value) { return known[value].is_masked(); }))
            first = *masked;
    const Value x = known[first];
    one.operands = {first};
    one.number = any_of({0.5, -1.0, 2.0, 3.0, 0.0, 1.5, -2.5});
    one.flag = one_in(2);
    switch (form.wants) {
        case Wants::unary:
            one.op = any_op(1);
            // NaN that arithmetic makes have either sign.
            if (one.op == op_id<op::Signbit> && first >= 0) return false;
            return accepts(info_of(one.op).accepts, x.dtype());
        case Wants::number:
            one.op = any_op(2);
            one.a = any_of<std::int64_t>({1, 2, 3, -1, -2, 7, 31, 0, 32, 63, 64, 8});
            return true;
        case Wants::fill: return true;
        case Wants::cast: one.dtype = any_of(all_dtypes); return true;
        case Wants::clamp:
            one.a = below(4) - 3, one.b = is_differentiable() ? 1 + below(3) : below(4);
            return true;
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
        case Wants::dim:
            one.number = one_in(2) ? 2 : 1;
            fill_shapes(one, form.wants, x);
            return true;
        default: break;
    }
    fill_shapes(one, form.wants, x);
    return fill_more(one, form.wants, known, first);
}

/// Operands in addition to the first.
bool Generator::fill_more(Instruction& one, Wants wants, const Building& known, int first) {
    const Value x = known[first];
    const auto add = [&](std::optional<int> value) {
        if (value) one.operands.push_back(*value);
        return value.has_value();
    };
    const auto fits = [&](int value) {
        const Shape& shape = known[value].shape();
        return broadcasts_to(shape, x.shape()) || broadcasts_to(x.shape(), shape);
    };
    const auto is_bool = [&](int value) { return known[value].dtype() == DType::boolean; };
    const auto index = [&](const Shape& shape, int dim) {
        const std::int64_t extent = x.shape().at(static_cast<std::size_t>(dim));
        return add_input(one_in(3) ? DType::int32 : DType::int64, shape, std::max<std::int64_t>(extent, 1));
    };
    switch (wants) {
        case Wants::binary:
            one.op = any_op(2);
            if (!add(value_where(fits))) return false;
            fill_mode(one, known);
            return true;
        case Wants::where: {
            const auto condition = value_where([&](int value) { return is_bool(value) && fits(value); });
            one.operands = {condition ? *condition : add_input(DType::boolean, x.shape()), first};
            return add(value_where(fits));
        }
        case Wants::mask: {
            const auto mask = value_where(
                [&](int value) { return is_bool(value) && broadcasts_to(known[value].shape(), x.shape()); });
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
        case Wants::gradient:
            if (!info_of(x.dtype()).is_float) return false;
            return add(-1 - static_cast<int>(below(known_inputs_)));
        case Wants::join: return add(value_where([&](int v) { return known[v].rank() == x.rank(); }));
        case Wants::matmul:
        case Wants::linear:
            return one_in(3) ? add(value_where([](int) { return true; })) : fill_product(one, wants, x);
        default: return true;
    }
}

/// The other factor, of any extents, also 0 and 1.
bool Generator::fill_product(Instruction& one, Wants wants, Value x) {
    if (x.rank() == 0) return false;
    const std::int64_t inner = x.shape().back();
    static constexpr std::int64_t columns[] = {0, 1, 4, 7, 16, 17, 20, 21, 23, 36, 52};
    const std::int64_t out = one_in(3) ? any_extent(3) : any_of(columns);
    Shape shape = wants == Wants::linear ? Shape{out, inner} : Shape{inner, out};
    if (wants == Wants::matmul && x.rank() > 2 && one_in(2)) {
        shape = x.shape();
        shape[shape.size() - 2] = inner;
        shape.back() = out;
    }
    if (wants == Wants::matmul && one_in(6)) shape = {inner};
    one.operands.push_back(add_input(any_dtype(), shape));
    return true;
}

}  // namespace fuzz
