// SPDX-License-Identifier: MIT
#pragma once
#include "../dsl/build/session.hpp"
#include "../dsl/describe.hpp"
#include "../dsl/dsl.hpp"
#include "../runtime/masked_tensor.hpp"
#include "targets.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Expressions over actual tensors, evaluated at once.
namespace frisket {

/// Whether an expression is compiled.
enum class Jit : std::uint8_t {
    automatic,  ///< if it is large or has been met often: EvalPolicy
    always,
    never,  ///< the interpreter
};

struct EvalOptions {
    Jit jit = Jit::automatic;
    TargetName target = {};  ///< of compiled loops
};

/// When Jit::automatic interprets: compiling takes about 0.1 s, once for all tensors of the same ranks,
/// dtypes and layouts.
struct EvalPolicy {
    std::int64_t small_elements = 4096;  ///< fewer in all operands and intermediates are interpreted …
    int few_times = 4;                   ///< … unless the expression was met this often before
};

/// For all threads, from the next eval on.
void set_eval_policy(const EvalPolicy& policy);
EvalPolicy eval_policy();

namespace detail {

/// How graphs of expressions are run under these options.
build::Session::Evaluate evaluator(const EvalOptions& options);
/// Memory of its own, row-major: an expression may give a view of a tensor of the user's.
AnyTensor owned(AnyTensor values);

template <DType Type>
struct ElementOf;
template <> struct ElementOf<DType::boolean> { using Type = bool; };
template <> struct ElementOf<DType::int32> { using Type = std::int32_t; };
template <> struct ElementOf<DType::int64> { using Type = std::int64_t; };
template <> struct ElementOf<DType::float32> { using Type = float; };
template <> struct ElementOf<DType::float64> { using Type = double; };

/// The elements of what an expression evaluates to: as they are computed, or as a cast at the end stores
/// them.
template <class E>
struct ElementOfExpression {
    using Type = typename ElementOf<strong(E::judgement.type).dtype>::Type;
};
template <class E>
    requires requires { typename E::WholeOperation::Element; }
struct ElementOfExpression<E> {
    using Type = typename E::WholeOperation::Element;
};

/// What an expression evaluates to: a Tensor, or a MaskedTensor if its type is masked.
template <class E>
struct Evaluation {
    static constexpr Judgement judgement = E::judgement;
    static_assert(!judgement.has_symbols,
                  "frisket: eval(...) of symbols: they stand for tensors of a step's call, write tensors");
    static constexpr bool is_masked = judgement.standing == Standing::masked;
    using Element = typename ElementOfExpression<E>::Type;
    using Type = std::conditional_t<is_masked, MaskedTensor<Element>, Tensor<Element>>;

    static Type typed(Result&& result) {
        if constexpr (!is_masked) {
            if (result.mask) throw Bug("eval: a dense expression gave a masked result");
            return Type(owned(std::move(result.values)));
        } else {
            if (result.listed) return Type(std::move(*result.listed));
            if (!result.mask) return Type(AnyMasked::dense(owned(std::move(result.values))));
            return Type(AnyMasked::strided(owned(std::move(result.values)), owned(std::move(*result.mask))));
        }
    }
};

template <class E>
using Evaluated = typename Evaluation<Operand<E>>::Type;

/// The instruction of an expression, of the elements that its type says.
template <class E>
build::Expr lowered(Lowering& lowering, const E& expression) {
    const build::Expr made{&lowering.graph(), emit(lowering, operand(expression))};
    const DType wanted = dtype_of<typename Evaluation<Operand<E>>::Element>;
    return made.node().result_dtype() == wanted ? made : build::cast(made, wanted);
}

template <class... E>
std::vector<Result> run(const EvalOptions& options, const E&... expressions) {
    build::Session session("eval", evaluator(options));
    Lowering lowering(session);
    std::vector<build::Expr> results;
    (results.push_back(lowered(lowering, expressions)), ...);
    return session.run_any(results);
}

}  // namespace detail

/// The value of an expression over tensors: a Tensor, or a MaskedTensor if it is masked, with memory of its
/// own.  Of layout strided; but what is made of lists (coo, rows, csr, …) alone is made in time and memory
/// for what they store: where they have one layout and the same places, it has that layout and shares their
/// lists; of several layouts, of other places (intersect, unite) or reduced along some dimensions it is coo.
/// A product of which the mask of a masked tensor m leaves a part, as in on(m, matmul(a, b)), is made for
/// that alone, or whole, with the same bits, where a tenth or more is left; it has the layout of m (or coo).
/// Errors: ShapeError, DimError, IndexError, MaskMismatch, ValueError; nothing is given then.
/// Threads: any number.
template <class E>
    requires OneOfOurs<E>
detail::Evaluated<E> eval(const E& expression, const EvalOptions& options = {}) {
    return detail::Evaluation<detail::Operand<E>>::typed(std::move(detail::run(options, expression)[0]));
}

/// The parts of a split.
template <class A>
std::vector<detail::Evaluated<A>> eval(const Split<A>& split, const EvalOptions& options = {}) {
    build::Session session("eval", detail::evaluator(options));
    Lowering lowering(session);
    const build::Expr whole = detail::lowered(lowering, split.a);
    std::vector<detail::Evaluated<A>> parts;
    for (Result& part : session.run(build::split(whole, split.size, split.dim)))
        parts.push_back(detail::Evaluation<A>::typed(std::move(part)));
    return parts;
}

/// Several expressions, as a tuple: what they share is computed once.
template <class A, class B, class... More>
    requires(OneOfOurs<A> && OneOfOurs<B> && (OneOfOurs<More> && ...))
auto eval(const A& a, const B& b, const More&... more) {
    std::vector<Result> results = detail::run({}, a, b, more...);
    auto next = results.begin();
    return std::tuple{detail::Evaluation<detail::Operand<A>>::typed(std::move(*next++)),
                      detail::Evaluation<detail::Operand<B>>::typed(std::move(*next++)),
                      detail::Evaluation<detail::Operand<More>>::typed(std::move(*next++))...};
}

}  // namespace frisket
