// SPDX-License-Identifier: MIT
#pragma once
#include "../../../ir/expressions/expression_context.hpp"
#include "../../support/poison.hpp"

#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

/// Expressions over small tensors, and their results as text.
namespace frisket::testing {

using ir::Value;

/// Elements of a masked tensor; those without a value are poison.
using Row = std::vector<std::optional<double>>;

template <class T>
MaskedTensor<T> masked_of(const Shape& shape, const Row& elements) {
    const Tensor<T> values(shape);
    const Tensor<bool> mask(shape);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        values.data()[i] = static_cast<T>(elements[i].value_or(0));
        mask.data()[i] = elements[i].has_value();
    }
    const MaskedTensor<T> made = masked(values, mask);
    poison(made, Poison::signalling);
    return made;
}

/// "float32 [3]: 1 -- 3"
inline std::string shown(const Result& result) {
    std::ostringstream text;
    text << name_of(result.values.dtype()) << " " << to_string(result.values.shape()) << ":";
    const AnyTensor values = result.values.clone();
    const AnyTensor mask = result.mask ? result.mask->clone() : AnyTensor();
    dispatch(values.dtype(), [&]<class T>() {
        for (std::int64_t i = 0; i < values.size(); ++i) {
            const T value = static_cast<const T*>(values.data())[i];
            if (result.mask && !static_cast<const bool*>(mask.data())[i])
                text << " --";
            else if (std::isnan(static_cast<double>(value)))
                text << " nan";
            else
                text << " " << +value;
        }
    });
    return text.str();
}

/// A session named "e", and the results of its expressions.
class Sheet {
public:
    Value floats(const Shape& shape, const Row& elements) {
        return session.masked(masked_of<float>(shape, elements));
    }
    Value integers(const Shape& shape, const Row& elements) {
        return session.masked(masked_of<std::int64_t>(shape, elements));
    }
    template <class T>
    Value dense(const Shape& shape, const std::vector<T>& elements) {
        return session.tensor(Tensor<T>(shape, elements));
    }
    std::string operator()(Value x) { return shown(session.run(x)); }

    ir::ExpressionContext session{"e"};
};

}  // namespace frisket::testing
