// SPDX-License-Identifier: MIT
#include "../../runtime/limits.hpp"
#include "generator.hpp"
#include "oracle.hpp"

#include <algorithm>

/// Programs that users write: attention, norms, losses, products, lists.  Their extents, dtypes, masks and
/// layouts are random, and so is some of their arithmetic.
namespace fuzz {

namespace {

constexpr std::int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 48, 64, 65};
constexpr DType floats[] = {DType::float32, DType::float32, DType::float32, DType::float64};

/// True where the column is no larger than the row.
AnyTensor causal(const Shape& shape) {
    Tensor<bool> mask(shape);
    const std::int64_t columns = shape.back(), rows = shape[shape.size() - 2];
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = i % columns <= i / columns % rows;
    return mask;
}

Shape joined(const Shape& batches, std::initializer_list<std::int64_t> last) {
    Shape shape = batches;
    shape.insert(shape.end(), last);
    return shape;
}

}  // namespace

int Generator::add(std::string_view form, std::vector<int> operands, Instruction with) {
    with.form = form_named(form);
    with.operands = std::move(operands);
    program_.instructions.push_back(std::move(with));
    return count() - 1;
}

int Generator::add_op(OpId op, int x, int y) { return add("binary", {x, y}, {.op = op}); }
int Generator::add_op(OpId op, int x, double y) { return add("with number", {x}, {.op = op, .number = y}); }

int Generator::add_dense(const Shape& shape) { return add_tensor(dtype_, shape, false); }
int Generator::add_masked(const Shape& shape) { return add_tensor(dtype_, shape, true); }

int Generator::add_tensor(DType dtype, const Shape& shape, bool is_masked) {
    Input input{.values = random_values(dtype, shape, flavour_, random_)};
    if (one_in(4)) input.lies = static_cast<Lies>(below(8));
    if (input.lies == Lies::repeated) repeat_first(input.values);
    if (is_masked) {
        input.mask = random_mask_of(shape, random_);
        input.layout = any_layout(shape, *input.mask);
        input.listed = any_of({Listed::ascending, Listed::shuffled, Listed::with_duplicates});
    }
    program_.inputs.push_back(std::move(input));
    return -static_cast<int>(program_.inputs.size());
}

/// A mask of shape [..., rows, columns] on a value, in one of the ways to have one.
int Generator::add_mask(int value, const Shape& batches, std::int64_t rows, std::int64_t columns) {
    const Shape shape = joined(one_in(2) ? batches : Shape{}, {rows, columns});
    if (one_in(3) && shape.size() == batches.size() + 2) return add("on", {add_masked(shape), value});
    const int mask = add_tensor(DType::boolean, shape, false);
    Input& input = program_.inputs.back();
    input.values = one_in(2) ? causal(shape) : random_mask_of(shape, random_);
    if (input.lies == Lies::repeated) input.lies = Lies::rows;
    return add("restrict", {value, mask});
}

/// A number that is near 1 for each element, or a row of them, as biases and gains are.
int Generator::add_epilogue(int value, std::int64_t columns) {
    switch (below(6)) {
        case 0: return add_op(op_id<op::Add>, value, add_dense({columns}));
        case 1: return add("unary", {value}, {.op = op_id<op::Relu>});
        case 2: return add_op(op_id<op::Mul>, value, 0.125);
        case 3:
            return add("unary", {add_op(op_id<op::Add>, value, add_dense({columns}))},
                       {.op = op_id<op::Tanh>});
        default: return value;
    }
}

std::int64_t Generator::any_size() {
    static constexpr std::int64_t large[] = {200, 255, 256, 257, 300};
    return is_large_ && one_in(2) ? any_of(large) : any_of(extents);
}

Shape Generator::any_batches() {
    Shape batches;
    for (std::int64_t left = one_in(2) ? 0 : 1 + below(2); left > 0; --left) batches.push_back(1 + below(3));
    return batches;
}

/// softmax(q k^T under a mask) v.
int Generator::attention() {
    const Shape batches = any_batches();
    const int rank = static_cast<int>(batches.size()) + 2;
    const std::int64_t queries = any_size(), keys = any_size(), width = 1 + below(9),
                       columns = one_in(3) ? any_size() : 1 + below(9);
    const int q = add_dense(joined(batches, {queries, width})), k = add_dense(joined(batches, {keys, width}));
    const int turned = add("transpose", {k}, {.a = rank - 2, .b = rank - 1});
    int scores = add("matmul", {q, turned});
    if (!one_in(4)) scores = add_op(op_id<op::Mul>, scores, 0.5);
    if (!one_in(5)) scores = add_mask(scores, batches, queries, keys);
    int weights = add("softmax", {scores}, {.dim = rank - 1});
    if (one_in(3)) return weights;
    if (!one_in(5)) weights = add("to_dense", {weights}, {.number = 0});
    return add_epilogue(add("matmul", {weights, add_dense(joined(batches, {keys, columns}))}), columns);
}

/// (x - mean) / sqrt(variance + e), with gain and bias.
int Generator::layer_norm() {
    const std::int64_t rows = any_size(), columns = one_in(3) ? 63 + below(100) : any_size();
    const Shape shape = joined(one_in(3) ? Shape{2} : Shape{}, {rows, columns});
    const std::vector<int> dims{one_in(4) ? 0 : static_cast<int>(shape.size()) - 1};
    const int x = one_in(4) ? add_dense(shape) : add_masked(shape);
    const int centred = add_op(op_id<op::Sub>, x, add("mean", {x}, {.dims = dims, .flag = true}));
    const int squares = add_op(op_id<op::Mul>, centred, centred);
    const int variance = add_op(op_id<op::Add>, add("mean", {squares}, {.dims = dims, .flag = true}), 0.5);
    const int norm = add_op(op_id<op::Div>, centred, add("unary", {variance}, {.op = op_id<op::Sqrt>}));
    return one_in(2) ? norm : add_epilogue(add_op(op_id<op::Mul>, norm, add_dense({columns})), columns);
}

/// A reduction of one long row, which threads make together.
int Generator::long_sum() {
    const int x = one_in(2) ? add_masked({131'072 + below(500)}) : add_dense({131'072 + below(500)});
    return add(one_in(2) ? "sum" : "amax", {one_in(2) ? add_op(op_id<op::Mul>, x, x) : x}, {.dims = {}});
}

/// A mean of squares, or of a cross entropy, of all or by rows.
int Generator::loss() {
    const std::int64_t rows = any_size(), columns = any_size();
    const Shape shape = !one_in(4) ? Shape{rows, columns} : Shape{rows};
    const int rank = static_cast<int>(shape.size());
    const int x = add_masked(shape);
    int each = 0;
    if (one_in(3)) {
        each = add("log_softmax", {x}, {.dim = rank - 1});
    } else {
        const int other = one_in(2) ? add_dense(shape) : add_dense({shape.back()});
        const int away = add_op(op_id<op::Sub>, x, other);
        each = one_in(2) ? add("unary", {away}, {.op = op_id<op::Abs>}) : add_op(op_id<op::Mul>, away, away);
    }
    ir::Dims dims;
    if (one_in(3)) dims = {static_cast<int>(below(rank))};
    return add(one_in(2) ? "mean" : "sum", {each}, {.dims = dims});
}

/// A product of matrices or vectors, either of them turned, masked or masked and filled, in batches.
int Generator::any_product() {
    const Shape batches = any_batches();
    const int rank = static_cast<int>(batches.size()) + 2;
    const std::int64_t rows = any_size(), inner = any_size(), columns = any_size();
    const auto factor = [&](std::int64_t height, std::int64_t width) {
        const bool is_turned = one_in(3);
        const Shape own = joined(one_in(4) ? Shape{} : batches, {});
        Shape shape = is_turned ? joined(own, {width, height}) : joined(own, {height, width});
        const bool is_vector = one_in(8);
        if (is_vector) shape = {inner};
        int made = one_in(3) ? add_masked(shape) : add_dense(shape);
        if (program_.inputs.back().mask && one_in(2)) made = add("to_dense", {made}, {.number = 0});
        if (is_turned && !is_vector) {
            const auto last = static_cast<std::int64_t>(shape.size()) - 1;
            made = add("transpose", {made}, {.a = last - 1, .b = last});
        }
        return made;
    };
    const int left = factor(rows, inner);
    const int made = add("matmul", {left, factor(inner, columns)});
    if (rank == 2 && one_in(4)) return add_mask(made, {}, rows, columns);
    return one_in(2) ? made : add_epilogue(made, columns);
}

/// A product of more terms than a panel has, of few elements.
int Generator::long_product() {
    const std::int64_t inner = any_of<std::int64_t>({4096, 4097, 4100, 8193});
    const std::int64_t rows = one_in(2) ? 0 : 1 + below(2), columns = one_in(2) ? 0 : 1 + below(2);
    const Shape shape = rows == 0 ? Shape{inner} : Shape{rows, inner};
    const int left = one_in(6) ? add_masked(shape) : add_dense(shape);
    if (columns > 0 && one_in(2)) {
        const int right = add_dense({columns, inner});
        return add("matmul", {left, add("transpose", {right}, {.a = 0, .b = 1})});
    }
    return add("matmul", {left, add_dense(columns == 0 ? Shape{inner} : Shape{inner, columns})});
}

/// Products only at the elements of a list, and values computed from them.
int Generator::sampled() {
    const std::int64_t rows = 8 + below(60), columns = 8 + below(60), inner = 1 + below(9);
    const int list = add_tensor(dtype_, {rows, columns}, true);
    Input& input = program_.inputs.back();
    Tensor<bool> few({rows, columns});
    const double density = one_in(4) ? 0.3 : 0.03;
    for (std::int64_t i = 0; i < few.size(); ++i) few.data()[i] = random_.chance(density);
    input.mask = few;
    input.layout = any_of({Layout::coo, Layout::csr, Layout::csc, Layout::bitmask, Layout::strided});
    const int u = add_dense({rows, inner}), v = add_dense({columns, inner});
    const int product = add("matmul", {u, add("transpose", {v}, {.a = 0, .b = 1})});
    const int made = one_in(2) ? add("on", {list, product}) : add_op(op_id<op::Sub>, list, product);
    return one_in(2) ? made : add("sum", {add_op(op_id<op::Mul>, made, made)}, {.dims = {}});
}

/// Running sums of computed values, and of their rows.
int Generator::running_sum() {
    const std::int64_t rows = any_size(), columns = one_in(2) ? any_size() : 100 + below(300);
    const int x = one_in(2) ? add_masked({rows, columns}) : add_dense({rows, columns});
    const int first = one_in(2) ? add_op(op_id<op::Mul>, x, x) : x;
    const int dim = static_cast<int>(below(2));
    const int made = add(one_in(4) ? "cumprod" : "cumsum", {first}, {.dim = dim});
    if (one_in(2)) return made;
    return add_op(op_id<op::Sub>, made, add("amax", {made}, {.dims = {{dim}}, .flag = true}));
}

/// Operands that are broadcast along rows and columns, and transposed operands.
int Generator::broadcasts() {
    const std::int64_t rows = any_size(), columns = any_size();
    const int x = one_in(2) ? add_masked({rows, columns}) : add_dense({rows, columns});
    const int turned = add("transpose", {add_dense({columns, rows})}, {.a = 0, .b = 1});
    const int both = add_op(op_id<op::Add>, x, turned);
    const int scaled = add_op(op_id<op::Mul>, both, add_dense({rows, 1}));
    return one_in(2) ? scaled : add("where", {add_tensor(DType::boolean, {columns}, false), scaled, x});
}

/// Two layers, and the mean of squares.
int Generator::perceptron() {
    const std::int64_t rows = any_size(), inputs = any_size(), hidden = any_size(), outputs = 1 + below(5);
    const int x = add_dense({rows, inputs}), w = add_dense({inputs, hidden}),
              v = add_dense({hidden, outputs});
    const int layer = add("unary", {add("matmul", {x, w})}, {.op = op_id<op::Relu>});
    const int away = add_op(op_id<op::Sub>, add("matmul", {layer, v}), add_dense({rows, outputs}));
    return add("mean", {add_op(op_id<op::Mul>, away, away)}, {.dims = {}});
}

/// Reads rows at indices, at which gradients are added; some are the input of a large layer, or a large bag.
int Generator::embedding() {
    if (is_large_ && one_in(2)) {
        constexpr std::int64_t columns = 64, count = limits::gathered_sum_elements / columns;
        const std::int64_t rows = any_size();
        const int table = add_dense({rows, columns});
        Tensor<std::int64_t> inside({count});  // at this length random ids would be out of range
        for (std::int64_t& id : std::span(inside.data(), static_cast<std::size_t>(count))) id = below(rows);
        program_.inputs.push_back({.values = inside, .bound = rows});
        const int ids = -static_cast<int>(program_.inputs.size());
        return add("sum", {add("index_select", {table, ids}, {.dim = 0})}, {.dims = {{0}}});
    }
    const bool has_layer = one_in(2);
    const std::int64_t rows = any_size(), columns = has_layer ? 64 : 1 + below(9);
    const int table = has_layer || one_in(2) ? add_dense({rows, columns}) : add_masked({rows, columns});
    const int ids = add_input(DType::int64, {has_layer ? 512 : 1 + below(40)}, rows);
    const int read = add("index_select", {table, ids}, {.dim = 0});
    const int made = has_layer   ? add("matmul", {read, add_dense({columns, 32})})
                     : one_in(2) ? add_op(op_id<op::Mul>, read, read)
                                 : read;
    return one_in(3) ? made : add("gradient", {made, table});
}

/// Lists that are multiplied, reduced, moved and united.
int Generator::of_lists() {
    const std::int64_t rows = any_size(), columns = any_size(), width = 1 + below(9);
    const auto list = [&] {
        const int made = add_masked({rows, columns});
        program_.inputs.back().layout = any_of({Layout::coo, Layout::csr, Layout::csc});
        return made;
    };
    const int m = list();
    switch (below(7)) {
        case 0:
            return add("matmul",
                       {m, add_op(op_id<op::Add>, add_dense({columns, width}), add_dense({columns, 1}))});
        case 1: return add("matmul", {m, add_dense({columns, width})});
        case 2:
            return add_op(op_id<op::Mul>,
                          add("sum", {add_op(op_id<op::Mul>, m, m)}, {.dims = {{1}}, .flag = true}), m);
        case 3: return add("softmax", {m}, {.dim = static_cast<int>(below(2))});
        case 4: return add("transpose", {add_op(op_id<op::Mul>, m, 3.0)}, {.a = 0, .b = 1});
        case 5: return add("binary", {m, list()}, {.op = op_id<op::Mul>, .mode = MaskMode::intersection});
        default: return add("binary", {m, list()}, {.op = op_id<op::Add>, .mode = MaskMode::unite});
    }
}

/// Steps over listed rows, by their norms.
bool Generator::row_step() {
    const std::int64_t rows = any_size(), columns = any_size();
    const int gradient = add_masked({rows, columns});
    Input& input = program_.inputs.back();
    input.mask = held(Layout::rows, *input.mask);
    input.layout = Layout::rows;
    input.listed = Listed::ascending;
    program_.inputs.push_back({.values = random_values(dtype_, {rows, columns}, flavour_, random_)});
    const int parameter = -static_cast<int>(program_.inputs.size());
    const int squares = add_op(op_id<op::Mul>, gradient, gradient);
    const int norm = add(one_in(2) ? "sum" : "amax", {squares}, {.dims = {{1}}, .flag = true});
    const int scaled = add_op(op_id<op::Div>, gradient, add_op(op_id<op::Add>, norm, 0.5));
    program_.targets.push_back({.input = -1 - parameter,
                                .value = add_op(op_id<op::Sub>, parameter, scaled),
                                .is_everywhere = false});
    return is_runnable();
}

/// The gradient of a value with respect to one of the inputs, of a float dtype.
int Generator::add_gradient(int value) {
    const auto inputs = static_cast<std::int64_t>(program_.inputs.size());
    const int input = static_cast<int>(below(inputs));
    if (program_.inputs[static_cast<std::size_t>(input)].values.dtype() != dtype_) return value;
    return add("gradient", {value, -1 - input});
}

Program Generator::make_idiom() {
    using Idiom = int (Generator::*)();
    static constexpr Idiom idioms[] = {
        &Generator::attention,   &Generator::attention,   &Generator::layer_norm,   &Generator::loss,
        &Generator::any_product, &Generator::any_product, &Generator::long_product, &Generator::long_sum,
        &Generator::sampled,     &Generator::running_sum, &Generator::running_sum,  &Generator::embedding,
        &Generator::broadcasts,  &Generator::perceptron,  &Generator::of_lists,     &Generator::of_lists};
    // In turn, so that few programs have all of them; at times a large one of each.
    const std::uint32_t number = seed_ / 16 + seed_ % 16;
    dtype_ = any_of(floats);
    is_large_ = number / std::size(idioms) % 5 == 0;
    is_step_ = one_in(16);
    program_.as = RunAs::step;
    if (is_step_) {
        if (!row_step()) program_.targets.clear();
        return program_;
    }
    int value = (this->*idioms[number % std::size(idioms)])();
    if (one_in(3)) value = add_gradient(value);
    program_.results = {value};
    // Intermediates as results as well: other loops.
    if (one_in(6)) program_.results.push_back(static_cast<int>(below(count())));
    const Outcome outcome = run(program_, {}, interpreter());
    if (outcome.error && *outcome.error != ErrorCode::mask_mismatch) program_.results.clear();
    return program_;
}

}  // namespace fuzz
