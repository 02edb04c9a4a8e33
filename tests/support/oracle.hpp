// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

#include <utility>

namespace frisket::testing {

/// The value of an expression as the interpreter has it, for comparison with eval.  Layout strided.
template <class E>
frisket::detail::Evaluated<E> oracle(const E& expression) {
    ir::ExpressionContext session("oracle", &evaluate);
    GraphEmitter emitter(session);
    Result made = session.run(frisket::detail::lowered(emitter, expression));
    return frisket::detail::Evaluation<frisket::detail::Operand<E>>::typed(std::move(made));
}

}  // namespace frisket::testing
