// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Tables of spellings of docs/guides whose rows are C++: a test has each row and runs both sides.
namespace frisket::testing {

/// Elements of a result in row-major order; 1 and 0 for bool.
using Numbers = std::vector<double>;

/// The elements of a result; 0 where a masked one is unspecified.
template <class T>
Numbers numbers(const Tensor<T>& tensor) {
    const auto elements = tensor.to_vector();
    return Numbers(elements.begin(), elements.end());
}
template <class T>
Numbers numbers(const MaskedTensor<T>& tensor) {
    return numbers(tensor.to_dense(0));
}
template <class T>
    requires std::is_arithmetic_v<T>
Numbers numbers(T number) {
    return {static_cast<double>(number)};
}

/// Row of a table: the code of both columns, their values, and the value that a loop by hand computes.
struct GuideRow {
    std::string theirs, ours;
    std::function<Numbers()> by_theirs = {}, by_ours = {};  // by_theirs: empty without their library
    Numbers wanted = {};
};

/// Rows of the tables of a guide, by the name of its document in docs/guides, with their code only.
/// Errors: std::runtime_error if a line of a table is not `| CODE | CODE |`.
std::vector<GuideRow> rows_of_guide(std::string_view name);

/// Checks that a guide has exactly the code of these rows, in their order.
void check_code(std::string_view guide, const std::vector<GuideRow>& rows);

/// Checks that one side of each row has the wanted value, to the rounding of float32.
void check_values(const std::vector<GuideRow>& rows, std::function<Numbers()> GuideRow::* side);

/// Code without its outer parentheses.
std::string bare_code(std::string_view in_parentheses);

}  // namespace frisket::testing

/// Code in parentheses, without them.
#define FRISKET_BARE(...) __VA_ARGS__

/// GUIDE_ROW((their code), (our code), numbers that are wanted...) makes a GuideRow.
/// The file defines two macros that make functions: GUIDE_THEIRS(code, value) and GUIDE_OURS(code, value) run
/// the code in parentheses and return the Numbers of the value.
#define GUIDE_ROW(theirs, ours, ...)                                                                         \
    ::frisket::testing::GuideRow {                                                                           \
        ::frisket::testing::bare_code(#theirs), ::frisket::testing::bare_code(#ours),                        \
            GUIDE_THEIRS((), FRISKET_BARE theirs), GUIDE_OURS((), FRISKET_BARE ours), {                      \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
/// A row whose code changes a variable.
#define GUIDE_CHANGE(variable, theirs, ours, ...)                                                            \
    ::frisket::testing::GuideRow {                                                                           \
        ::frisket::testing::bare_code(#theirs), ::frisket::testing::bare_code(#ours),                        \
            GUIDE_THEIRS(theirs, variable), GUIDE_OURS(ours, variable), {                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
