// SPDX-License-Identifier: MIT
#include "../../ir/at.hpp"
#include "../../ir/passes/gradient/gradient.hpp"
#include "list_generator.hpp"

#include <algorithm>

/// The grammar of list expressions: operations on lists, and on dense tensors that are stored.
namespace closure {

using ir::at;

namespace {

bool is_long(std::int64_t extent) { return is_huge({extent, small.ids}); }

}  // namespace

/// An operation on a list.
Made ListGenerator::of_list(int x) {
    using Operation = Made (ListGenerator::*)(int);
    using G = ListGenerator;
    static constexpr Operation operations[] = {&G::elementwise,   &G::same_places,    &G::met,
                                               &G::met,           &G::with_vector,    &G::with_vector,
                                               &G::with_product,  &G::with_product,   &G::with_sum,
                                               &G::moved,         &G::moved,          &G::reshaped,
                                               &G::gathered,      &G::joined,         &G::reduced,
                                               &G::reduced,       &G::scanned,        &G::scanned,
                                               &G::times_dense,   &G::times_dense,    &G::times_list,
                                               &G::sum_of_filled, &G::differentiated, &G::differentiated};
    return (this->*any_of(operations))(x);
}

/// An operation on a dense tensor that is stored: many lead back to lists.
Made ListGenerator::of_kept(int x) {
    using Operation = Made (ListGenerator::*)(int);
    using G = ListGenerator;
    static constexpr Operation operations[] = {&G::elementwise, &G::filled,         &G::spread, &G::spread,
                                               &G::spread,      &G::differentiated, &G::moved,  &G::reduced,
                                               &G::times_dense, &G::gathered};
    return (this->*any_of(operations))(x);
}

/// Layers of graphs, steps over rows of data, factorisations and chains of products, with gradients.
int ListGenerator::add_chain(int x) {
    using Operation = Made (ListGenerator::*)(int);
    using G = ListGenerator;
    static const std::vector<Operation> chains[] = {
        {&G::with_sum, &G::elementwise, &G::scanned, &G::times_dense, &G::differentiated, &G::differentiated},
        {&G::with_product, &G::scanned, &G::times_dense, &G::elementwise, &G::reduced, &G::differentiated},
        {&G::gathered, &G::times_dense, &G::elementwise, &G::reduced, &G::differentiated},
        {&G::with_product, &G::with_vector, &G::elementwise, &G::reduced, &G::differentiated},
        {&G::times_list, &G::with_vector, &G::times_list, &G::reduced, &G::differentiated},
        {&G::with_vector, &G::times_dense, &G::filled, &G::elementwise, &G::spread, &G::times_dense,
         &G::differentiated},
    };
    for (const Operation operation : any_of(chains))
        if (const Made next = (this->*operation)(x)) x = *next;
    return one_in(3) ? differentiated(x).value_or(x) : x;
}

Made ListGenerator::binary(OpId op, Made x, Made y, MaskMode mode, Allow allow) {
    return add("binary", {x, y}, {.op = op, .mode = mode}, allow);
}

/// Operations that give 0 of 0.
constexpr OpId unary[] = {op_id<op::Neg>, op_id<op::Abs>, op_id<op::Square>, op_id<op::Tanh>,
                          op_id<op::Relu>};

Made ListGenerator::elementwise(int x) {
    constexpr OpId ordinary[] = {op_id<op::Mul>, op_id<op::Add>, op_id<op::Gt>, op_id<op::Maximum>};
    if (one_in(2)) return add("unary", {x}, {.op = any_of(unary)});
    return add("with number", {x}, {.op = any_of(ordinary), .number = 0.5});
}

constexpr OpId meeting[] = {op_id<op::Mul>, op_id<op::Add>, op_id<op::Sub>, op_id<op::Maximum>};

/// With itself, or a list with the same indices.
Made ListGenerator::same_places(int x) {
    const auto found = places_of_.find(x);
    if (found == places_of_.end()) return binary(any_of(meeting), x, x);
    return binary(any_of(meeting), x, add_list(value(x).shape(), found->second));
}

/// A value of this shape that is a list, or a new one.
Made ListGenerator::list_of(const Shape& shape, int but) {
    std::vector<int> fitting;
    for (int i = -static_cast<int>(inputs_.size()); i < static_cast<int>(made_.size()); ++i)
        if (i != but && value(i).shape() == shape && is_list(i) && info_of(value(i).dtype()).is_float)
            fitting.push_back(i);
    const bool is_new = one_in(3) || fitting.empty();
    if (is_new) return add_list(shape);
    return fitting[at(below(std::ssize(fitting)))];
}

Made ListGenerator::met(int x) {
    const bool is_turned = value(x).rank() == 2 && one_in(4);
    Shape shape = value(x).shape();
    if (is_turned) std::swap(shape[0], shape[1]);
    Made other = list_of(shape, x);
    if (is_turned) other = add("transpose", {other}, {.a = 0, .b = 1});
    constexpr OpId uniting[] = {op_id<op::Add>, op_id<op::Maximum>};
    if (one_in(2)) return binary(any_of(uniting), x, other, MaskMode::unite);
    return binary(any_of(meeting), x, other, MaskMode::intersection);
}

/// A dense tensor along one dimension of x, [n, 1], [1, n] or [n], which is an argument or made here.
Made ListGenerator::vector_along(int x, int dim) {
    const Shape shape = value(x).shape();
    const std::int64_t extent = shape[at(dim)];
    if (!is_long(extent)) return {};
    Shape wanted(shape.size(), 1);
    wanted[at(dim)] = extent;
    switch (below(5)) {
        case 0: return add("reshape", {add_dense({extent})}, {.shape = wanted});
        case 1: {
            if (shape.size() != 2) return {};
            const Made column = add_dense({extent, 1});
            return dim == 0 ? column : add("transpose", {column}, {.a = 0, .b = 1});
        }
        case 2: {
            if (shape.size() != 2) return {};
            const Made column = add("matmul", {add_dense({extent, width_}), add_dense({width_, 1})});
            return dim == 0 ? column : add("transpose", {column}, {.a = 0, .b = 1});
        }
        case 3: {
            const Made row = add("squeeze", {add_dense({extent, 1})}, {.dim = 1});
            return dim == std::ssize(shape) - 1 ? row : add("reshape", {row}, {.shape = wanted});
        }
        default: return add_dense(wanted);
    }
}

Made ListGenerator::with_vector(int x) {
    const int dim = static_cast<int>(below(value(x).rank()));
    return binary(any_of(meeting), x, vector_along(x, dim));
}

/// A dense factor [n, F] of a product whose elements are read at places of x.
Made ListGenerator::factor(int x, int dim) {
    const std::int64_t extent = value(x).shape()[at(dim)];
    if (!is_long(extent)) return {};
    const Made plain = add_dense({extent, width_});
    switch (below(4)) {
        case 0: return add("matmul", {plain, add_dense({width_, width_})});
        case 1: return add("unary", {plain}, {.op = op_id<op::Tanh>});
        default: return plain;
    }
}

/// A product of dense factors, read where x is.
Made ListGenerator::with_product(int x) {
    if (value(x).rank() != 2) return {};
    const Made right = add("transpose", {factor(x, 1)}, {.a = 0, .b = 1});
    const Made product = add("matmul", {factor(x, 0), right}, {}, Allow::read_by_list);
    if (one_in(2)) return add("on", {x, product});
    return binary(any_of(meeting), x, product);
}

/// A sum of a column and a row, read where x is.
Made ListGenerator::with_sum(int x) {
    if (value(x).rank() != 2) return {};
    const Made sum =
        binary(op_id<op::Add>, vector_along(x, 0), vector_along(x, 1), MaskMode::equal, Allow::read_by_list);
    if (one_in(2)) return add("on", {x, sum});
    return binary(any_of(meeting), x, sum);
}

Made ListGenerator::moved(int x) {
    const Shape shape = value(x).shape();
    if (shape.empty()) return {};
    const int dim = static_cast<int>(below(std::ssize(shape)));
    const std::int64_t extent = shape[at(dim)];
    const std::int64_t first = extent > 1000 ? extent / 4 : 1,
                       last = extent - (extent > 1000 ? extent / 8 : 2);
    switch (below(6)) {
        case 0: return add("flip", {x}, {.dim = dim});
        case 1: return add("roll", {x}, {.dim = dim, .a = any_of<std::int64_t>({1, -3})});
        case 2: return is_long(extent) ? add("slice", {x}, {.dim = dim, .a = first, .b = last}) : Made();
        case 3: return is_long(extent) ? add("select", {x}, {.dim = dim, .a = 7}) : Made();
        default:
            if (shape.size() < 2) return {};
            return add("transpose", {x}, {.a = 0, .b = std::ssize(shape) - 1});
    }
}

Made ListGenerator::reshaped(int x) {
    Shape shape = value(x).shape();
    switch (below(4)) {
        case 0: return add("reshape", {x}, {.shape = {-1}});
        case 1: return add("unsqueeze", {x}, {.dim = static_cast<int>(below(std::ssize(shape) + 1))});
        case 2: {
            const auto one = std::ranges::find(shape, 1);
            if (one == shape.end()) return {};
            return add("squeeze", {x}, {.dim = static_cast<int>(one - shape.begin())});
        }
        default: shape.insert(shape.begin(), 1); return add("reshape", {x}, {.shape = shape});
    }
}

Made ListGenerator::gathered(int x) {
    const Shape shape = value(x).shape();
    if (shape.empty()) return {};
    const int dim = static_cast<int>(below(std::ssize(shape)));
    if (!is_long(shape[at(dim)])) return {};
    if (dim == 0 && one_in(2)) return add("index", {x, add_ids(shape[0], Ids::any)});
    return add("index_select", {x, add_ids(shape[at(dim)], Ids::from_start)}, {.dim = dim});
}

Made ListGenerator::joined(int x) {
    const Shape shape = value(x).shape();
    const Made other = one_in(4) ? Made(x) : list_of(shape, x);
    const int dim = static_cast<int>(below(std::ssize(shape)));
    if (one_in(3)) return add("stack", {x, other}, {.dim = dim});
    return is_long(shape[at(dim)]) ? add("cat", {x, other}, {.dim = dim}) : Made();
}

Made ListGenerator::reduced(int x) {
    constexpr std::string_view kinds[] = {"sum", "sum",   "mean",      "amax", "amin",
                                          "any", "count", "logsumexp", "norm"};
    const std::string_view kind = any_of(kinds);
    Instruction with{.flag = one_in(2), .number = 2};
    if (value(x).rank() > 0 && !one_in(4)) with.dims = {{static_cast<int>(below(value(x).rank()))}};
    return add(kind, {x}, with);
}

Made ListGenerator::scanned(int x) {
    constexpr std::string_view kinds[] = {"softmax", "softmax", "cumsum", "log_softmax"};
    const std::string_view kind = any_of(kinds);
    return add(kind, {x}, {.dim = static_cast<int>(below(value(x).rank()))});
}

/// A product with a dense factor on either side: a matrix, a vector, or a batch of matrices.
Made ListGenerator::times_dense(int x) {
    const Shape shape = value(x).shape();
    if (shape.empty()) return {};
    const std::int64_t inner = shape.back();
    if (shape.size() == 1 || one_in(5)) return add("matmul", {x, add_dense({inner})});
    const std::int64_t outer = shape[shape.size() - 2];
    if (shape.size() == 3 && one_in(2)) return add("matmul", {x, add_dense({shape[0], inner, width_})});
    if (one_in(2)) return add("matmul", {x, add_dense({inner, width_})});
    if (one_in(2)) return add("matmul", {add_dense({width_, outer}), x});
    return add("matmul", {add("transpose", {add_dense({outer, width_})}, {.a = 0, .b = 1}), x});
}

Made ListGenerator::times_list(int x) {
    const Shape shape = value(x).shape();
    if (shape.size() != 2 || !is_long(shape[0]) || !is_long(shape[1])) return {};
    const bool is_turned = one_in(2);
    const Made turned = is_turned ? add("transpose", {x}, {.a = 0, .b = 1}) : Made();
    const Made other = is_turned ? turned : Made(add_list({shape[1], rows_}));
    return one_in(4) && is_turned ? add("matmul", {other, x}) : add("matmul", {x, other});
}

/// The gradient by any argument that x may read, or by a list on the way; from a seed now and then.
Made ListGenerator::differentiated(int x) {
    if (!info_of(value(x).dtype()).is_float || x < 0) return {};
    std::vector<int> candidates;
    for (int i = -static_cast<int>(inputs_.size()); i < x; ++i) {
        const Value v = value(i);
        const bool can_be = info_of(v.dtype()).is_float && (v.is_masked() || !is_huge(v.shape()));
        if (can_be && ir::reads(value(x), v)) candidates.push_back(i);
    }
    if (candidates.empty()) return {};
    const int by = candidates[at(below(std::ssize(candidates)))];
    if (is_huge(value(x).shape()) || one_in(2)) return add("gradient", {x, by});
    return add("gradient from", {x, by, add_dense(value(x).shape())});
}

Made ListGenerator::filled(int x) {
    if (!value(x).is_masked()) return {};
    return add("to_dense", {x}, {.number = 0});
}

/// The sum of a dense tensor that is 0 wherever a list has no element.
Made ListGenerator::sum_of_filled(int x) {
    if (!value(x).is_masked()) return {};
    const Made dense = add("to_dense", {x}, {.number = 0}, Allow::read_by_list);
    const Made values = add("unary", {dense}, {.op = any_of(unary)}, Allow::read_by_list);
    Instruction with{.flag = one_in(2)};
    if (value(x).rank() > 0 && one_in(2)) with.dims = {{static_cast<int>(below(value(x).rank()))}};
    return add("sum", {values}, with);
}

/// Back to a list: a vector or a factor meets one.
Made ListGenerator::spread(int x) {
    Made dense = x;
    if (value(x).is_masked()) dense = filled(x);
    if (!dense || !info_of(value(x).dtype()).is_float) return {};
    const Shape shape = value(x).shape();
    const auto is_one = [](std::int64_t extent) { return extent == 1; };
    if (shape.size() == 2 && std::ranges::none_of(shape, is_one)) {
        const bool is_tall = is_long(shape[0]);
        if (!is_tall && !is_long(shape[1])) return {};
        const Made tall = is_tall ? dense : add("transpose", {dense}, {.a = 0, .b = 1});
        const std::int64_t extent = value(*tall).shape()[0], width = value(*tall).shape()[1];
        if (is_long(width) || width == sizes_.ids) return {};
        const Made other = add("transpose", {one_in(2) ? tall : add_dense({rows_, width})}, {.a = 0, .b = 1});
        const Made list = list_of({extent, value(*other).shape()[1]}, -1000);
        return add("on", {list, add("matmul", {tall, other}, {}, Allow::read_by_list)});
    }
    if (shape.size() == 1 && is_long(shape[0]))
        return binary(any_of(meeting), list_of({rows_, shape[0]}, -1000), dense);
    if (shape.size() == 2 && is_long(shape[0]) && shape[1] == 1)
        return binary(any_of(meeting), list_of({shape[0], rows_}, -1000), dense);
    if (shape.size() == 2 && is_long(shape[1]) && shape[0] == 1)
        return binary(any_of(meeting), list_of({rows_, shape[1]}, -1000), dense);
    return shape.empty() ? binary(any_of(meeting), list_of({rows_, columns_}, -1000), dense) : Made();
}

}  // namespace closure
