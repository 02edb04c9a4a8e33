// SPDX-License-Identifier: MIT
// Evaluates expressions over tensors.
#pragma once
#include "../dsl/describe.hpp"
#include "../dsl/dsl.hpp"
#include "../dsl/evaluated.hpp"
#include "../dsl/expression_key.hpp"
#include "../ir/expressions/expression_context.hpp"
#include "../runtime/tensor/masked_tensor.hpp"
#include "jit/jit.hpp"

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Expressions over actual tensors, evaluated at once.
namespace frisket {

namespace planning {
struct RunEvents;
}

namespace detail {

/// Runs graphs of expressions under these options, and adds to `events`, if there are any.
ir::ExpressionContext::Evaluate evaluator(const EvalOptions& options, planning::RunEvents* events = nullptr);
/// Expressions on their way to their values.  No template, as a program evaluates many types of expressions.
class Evaluator {
public:
    /// `key`: the key of the expressions, if they have one, under which the call is stored.
    explicit Evaluator(const EvalOptions& options, const ExpressionKey* key = nullptr);
    explicit Evaluator(const ir::ExpressionContext::Evaluate& evaluate);
    ~Evaluator();
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    GraphEmitter& emitter() noexcept { return emitter_; }
    /// An expression to evaluate.
    void add(ir::Value expression) { expressions_.push_back(expression); }
    /// The values, in the order of the expressions.
    std::vector<Result> values();

protected:
    const ir::Value& expression(std::size_t i) const { return expressions_[i]; }
    ir::ExpressionContext& context() noexcept { return context_; }

private:
    ir::ExpressionContext context_;
    GraphEmitter emitter_;
    std::vector<ir::Value> expressions_;
};

/// One expression on its way to tensors of the user's.
class EvaluatorInto : public Evaluator {
public:
    /// `mask`: the mask of a masked expression.  `key`: as of Evaluator.
    EvaluatorInto(const EvalOptions& options, const AnyTensor& values,
                  const std::optional<AnyTensor>& mask = {}, const ExpressionKey* key = nullptr);
    /// Evaluates the expression and writes its value, or throws and writes nothing.
    void write();

private:
    AnyTensor values_;
    std::optional<AnyTensor> mask_;
};

/// The mask of a target.  Errors: LayoutError unless the layout is strided.
AnyTensor mask_to_write(const AnyMasked& target);

/// Arguments of eval: expressions and perhaps options after them.
template <class... E>
struct EvalArguments {
    using Last = std::tuple_element_t<sizeof...(E) - 1, std::tuple<E...>>;
    static constexpr bool has_options = std::is_same_v<Last, EvalOptions> || std::is_same_v<Last, Jit>;
    static constexpr std::size_t count = sizeof...(E) - (has_options ? 1 : 0);
    template <std::size_t... I>
    static std::tuple<std::tuple_element_t<I, std::tuple<E...>>...> first(std::index_sequence<I...>);
    using Expressions = decltype(first(std::make_index_sequence<count>{}));
};
/// The options of arguments of eval; the default options if the arguments end without options.
template <class... E>
EvalOptions options_of(const std::tuple<const E&...>& all) {
    using Arguments = EvalArguments<E...>;
    if constexpr (std::is_same_v<typename Arguments::Last, Jit>)
        return {.jit = std::get<Arguments::count>(all)};
    else if constexpr (Arguments::has_options)
        return std::get<Arguments::count>(all);
    else
        return {};
}
template <class Expressions>
inline constexpr bool are_ours = false;
template <class... E>
inline constexpr bool are_ours<std::tuple<E...>> = (OursOrList<E> && ...);

template <class E>
void add_to(Evaluator& evaluation, const E& expression) {
    evaluation.add(lowered(evaluation.emitter(), expression));
}
template <class E>
void add_to(Evaluator& evaluation, const std::vector<E>& list) {
    for (const E& expression : list) add_to(evaluation, expression);
}

/// The values of an expression or a list, from `next` on, which moves behind them.
template <class E>
Evaluated<E> typed(std::vector<Result>::iterator& next, const EvalOptions& options, const E& /*expression*/) {
    return Evaluation<Operand<E>>::typed(std::move(*next++), options.layout);
}
template <class E>
EvaluatedParts<E> typed(std::vector<Result>::iterator& next, const EvalOptions& options,
                        const std::vector<E>& list) {
    EvaluatedParts<E> values;
    values.reserve(list.size());
    for (const E& expression : list) values.push_back(typed(next, options, expression));
    return values;
}

/// Runs by the function of an ExpressionContext.
template <class... E>
std::vector<Result> run(const ir::ExpressionContext::Evaluate& evaluate, const E&... expressions) {
    Evaluator evaluation(evaluate);
    (add_to(evaluation, expressions), ...);
    return evaluation.values();
}

/// Begins the key of a call with its options; false if such calls are not stored.
bool begin_key(ExpressionKey& key, const EvalOptions& options);
/// The results of a call whose like was made before; nothing if it has no complete key or none is known.
std::optional<std::vector<Result>> known_results(const ExpressionKey& key);
/// Writes the value of such a call to a target of the key; false if it wrote nothing.
/// Errors: as EvaluatorInto::write.
bool write_known(const ExpressionKey& key, const AnyTensor& values, const std::optional<AnyTensor>& mask);

/// Adds an expression, or a list of them, and the dtype of its values.
template <class E>
void add_result_key(ExpressionKey& key, const E& expression) {
    key.add(static_cast<std::uint64_t>(dtype_of<typename Evaluation<Operand<E>>::Element>));
    add_key(key, expression);
}
template <class E>
void add_result_key(ExpressionKey& key, const std::vector<E>& list) {
    key.add(static_cast<std::uint64_t>(dtype_of<typename Evaluation<Operand<E>>::Element>));
    add_key(key, list);
}

/// Errors: LayoutError that explains why results of this caller have no such choice.
[[noreturn]] void refuse_layout(const char* caller, const char* reason);

/// Runs by EvalOptions: as before, if a call with this key is known.
template <class... E>
std::vector<Result> run(const EvalOptions& options, const E&... expressions) {
    if constexpr (!(is_masked<E> || ...))
        if (options.layout) refuse_layout("eval", "no result has a mask");
    ExpressionKey key;
    bool is_kept = false;
    if constexpr ((has_key<E> && ...)) {
        is_kept = begin_key(key, options);
        if (is_kept) {
            (add_result_key(key, expressions), ...);
            if (auto known = known_results(key)) return std::move(*known);
        }
    }
    Evaluator evaluation(options, is_kept && key.is_complete() ? &key : nullptr);
    (add_to(evaluation, expressions), ...);
    return evaluation.values();
}

}  // namespace detail

/// The value of an expression over tensors: a Tensor, or a MaskedTensor if it is masked, with memory of its
/// own.  Its layout is strided.  A result of only lists (coo, rows, csr, …) takes time and memory for their
/// stored elements: if the lists have one layout and the same coordinates, it has that layout and shares
/// their lists; with several layouts, with other coordinates (intersect, unite) or reduced along some
/// dimensions it is coo.
/// If the mask of a masked tensor m leaves a part of a product, as in on(m, matmul(a, b)), only that part is
/// computed, or the whole product, with the same bits, where a tenth or more is left; it has the layout of m
/// (or coo).  `layout(Layout::rows)` as options asks for another.
/// Errors: ShapeError, DimError, IndexError, MaskMismatch, ValueError; LayoutError for a layout that cannot
/// hold the result, or of a result without a mask; no result is returned then.
/// Threads: any number.
template <class E>
    requires AnyOperand<E>
detail::Evaluated<E> eval(const E& expression, const EvalOptions& options = {}) {
    if constexpr (is_refused<detail::Evaluated<E>>)
        return ErrorExpr{};
    else
        return detail::Evaluation<detail::Operand<E>>::typed(std::move(detail::run(options, expression)[0]),
                                                             options.layout);
}

namespace detail {

template <class E>
void write_value(const E& expression, const EvalOptions& options, const AnyTensor& values,
                 const std::optional<AnyTensor>& mask = {}) {
    ExpressionKey key;
    bool is_kept = false;
    if constexpr (has_key<E>) {
        is_kept = !options.layout && begin_key(key, options);
        if (is_kept) {
            key.add_target(values);
            if (mask) key.add_target(*mask);
            add_result_key(key, expression);
            if (write_known(key, values, mask)) return;
        }
    }
    EvaluatorInto evaluation(options, values, mask, is_kept && key.is_complete() ? &key : nullptr);
    evaluation.add(lowered(evaluation.emitter(), expression));
    evaluation.write();
}

}  // namespace detail

/// Writes the value of a dense expression over tensors to a tensor of its shape and elements, which may be a
/// view, and an operand: `eval_into(x, x * 2)`.  Loops write it directly where they are elementwise, read
/// nothing of the target and store nothing else; otherwise memory for a result is taken.
/// Errors: as eval; ShapeError, ValueError if the target is read-only; nothing is written then.
template <class T, class E>
    requires AnyOperand<E>
void eval_into(const Tensor<T>& target, const E& expression, const EvalOptions& options = {}) {
    if constexpr (!is_refused<detail::Evaluated<E>>) {
        static_assert(std::is_same_v<detail::Evaluated<E>, Tensor<T>>,
                      "frisket: eval_into(target, e) wants a Tensor of e's elements for a dense e, a "
                      "MaskedTensor for a masked one: write cast<T>(e), or to_dense(e, fill)");
        if constexpr (std::is_same_v<detail::Evaluated<E>, Tensor<T>>)
            detail::write_value(expression, options, target);
    }
}

/// Writes the value of a masked expression to the values and the mask of a target of layout strided.  Its
/// unspecified values become unspecified values of the target.
/// Errors: as the other eval_into; LayoutError for other layouts, ValueError if values and mask share memory.
template <class T, class E>
    requires AnyOperand<E>
void eval_into(const MaskedTensor<T>& target, const E& expression, const EvalOptions& options = {}) {
    if constexpr (!is_refused<detail::Evaluated<E>>) {
        static_assert(std::is_same_v<detail::Evaluated<E>, MaskedTensor<T>>,
                      "frisket: eval_into(target, e) wants a Tensor of e's elements for a dense e, a "
                      "MaskedTensor for a masked one: write cast<T>(e), or a Tensor as target");
        if constexpr (std::is_same_v<detail::Evaluated<E>, MaskedTensor<T>>)
            detail::write_value(expression, options, target.values(), detail::mask_to_write(target));
    }
}

/// Names the form to write instead.
template <class T>
    requires std::is_arithmetic_v<T>
T eval(T number, const EvalOptions& /*options*/ = {}) {
    static_assert(!sizeof(T), "frisket: eval(...) of a number, which is a value already: write the number");
    return number;
}

/// Refused: a step, or a value that is no expression.  Names the form to write instead.
template <class T>
    requires(!detail::OursOrList<T> && !std::is_arithmetic_v<T>)
ErrorExpr eval(const T& /*other*/, const EvalOptions& /*options*/ = {}) {
    static_assert(!SomeStep<T>,
                  "frisket: a step is compiled and called: write jit(step)(name = tensor, ...)");
    static_assert(detail::is_evaluated<T>,
                  "frisket: eval(...) takes an expression of tensors: no update or pointer");
    return {};
}

/// The value, compiled or interpreted according to `jit`.
template <class E>
auto eval(const E& expression, Jit jit) {
    return eval(expression, EvalOptions{.jit = jit});
}

/// The parts of a split.
template <class A>
detail::EvaluatedParts<A> eval(const Split<A>& split, const EvalOptions& options = {}) {
    if constexpr (is_refused<detail::Evaluated<A>>) {
        return ErrorExpr{};
    } else {
        if (options.layout && !detail::is_masked<A>) detail::refuse_layout("eval", "no result has a mask");
        ir::ExpressionContext session("eval", detail::evaluator(options));
        GraphEmitter lowering(session);
        const ir::Value whole = detail::lowered(lowering, split.a);
        detail::EvaluatedParts<A> parts;
        for (Result& part : session.run(ir::split(whole, split.size, split.dim)))
            parts.push_back(detail::Evaluation<A>::typed(std::move(part), options.layout));
        return parts;
    }
}

/// A list of expressions, whose values are in its order: a shared subexpression is computed once.
template <class E>
    requires AnyOperand<E>
detail::EvaluatedParts<E> eval(const std::vector<E>& expressions, const EvalOptions& options = {}) {
    if constexpr (is_refused<detail::EvaluatedParts<E>>) {
        return ErrorExpr{};
    } else {
        if (expressions.empty()) return {};
        std::vector<Result> results = detail::run(options, expressions);
        auto next = results.begin();
        return detail::typed(next, options, expressions);
    }
}

namespace detail {

template <std::size_t... I, class... E>
auto eval_tuple(std::index_sequence<I...> /*expressions*/, const EvalOptions& options,
                const std::tuple<const E&...>& all) {
    std::vector<Result> results = run(options, std::get<I>(all)...);
    auto next = results.begin();
    return std::tuple{typed(next, options, std::get<I>(all))...};
}

}  // namespace detail

/// Several expressions and lists of them, as a tuple: a shared subexpression is computed once.  Options may
/// be the last argument, or a Jit: `eval(loss, gradient(loss, w), Jit::always)`.
template <class A, class B, class... More>
    requires(detail::are_ours<typename detail::EvalArguments<A, B, More...>::Expressions> &&
             detail::EvalArguments<A, B, More...>::count > 1)
detail::EvaluatedTuple<typename detail::EvalArguments<A, B, More...>::Expressions>
eval(const A& a, const B& b, const More&... more) {
    using Arguments = detail::EvalArguments<A, B, More...>;
    if constexpr (is_refused<detail::EvaluatedTuple<typename Arguments::Expressions>>) {
        return ErrorExpr{};
    } else {
        const std::tuple<const A&, const B&, const More&...> all(a, b, more...);
        constexpr auto expressions = std::make_index_sequence<Arguments::count>{};
        return detail::eval_tuple(expressions, detail::options_of(all), all);
    }
}

}  // namespace frisket
