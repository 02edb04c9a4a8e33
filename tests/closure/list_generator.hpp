// SPDX-License-Identifier: MIT
#pragma once
#include "list_programs.hpp"

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace closure {

/// A value by its operand number; nothing: it could not be made.
using Made = std::optional<int>;

/// Makes one program at one size.  Its choices do not depend on the size.
class ListGenerator {
public:
    ListGenerator(std::uint32_t seed, const Sizes& sizes);
    Program make();

private:
    /// Dense tensors of huge shapes: refused, or allowed where a list reads some of their elements next.
    enum class Allow : std::uint8_t { kept, read_by_list };

    enum class Ids : std::uint8_t { from_start, any };

    std::int64_t below(std::int64_t bound) { return random_.below(bound); }
    bool one_in(std::int64_t n) { return below(n) == 0; }
    template <class T, std::size_t N>
    T any_of(const T (&list)[N]) {
        return list[below(N)];
    }
    Value value(int operand) const;
    bool is_list(int operand) const { return value(operand).is_masked() && is_huge(value(operand).shape()); }

    Made add_dense(const Shape& shape);
    int add_ids(std::int64_t bound, Ids ids_are);
    std::vector<std::vector<std::int64_t>> places(const Shape& shape, std::uint32_t which);
    int add_list(const Shape& shape, std::optional<std::uint32_t> same = {});
    Made add(std::string_view form, const std::vector<Made>& operands, Instruction with = {},
             Allow allow = Allow::kept);
    Made add_any(int x);
    Program with_result(int value);

    // list_operations.cpp
    int add_chain(int x);
    Made of_list(int x);
    Made of_kept(int x);
    Made elementwise(int x);
    Made same_places(int x);
    Made met(int x);
    Made with_vector(int x);
    Made with_product(int x);
    Made with_sum(int x);
    Made moved(int x);
    Made reshaped(int x);
    Made gathered(int x);
    Made joined(int x);
    Made reduced(int x);
    Made scanned(int x);
    Made times_dense(int x);
    Made times_list(int x);
    Made differentiated(int x);
    Made filled(int x);
    Made sum_of_filled(int x);
    Made spread(int x);
    Made factor(int x, int dim);
    Made vector_along(int x, int dim);
    Made list_of(const Shape& shape, int but);
    Made binary(OpId op, Made x, Made y, MaskMode mode = MaskMode::equal, Allow allow = Allow::kept);

    testing::Random random_;
    std::uint32_t seed_;
    Sizes sizes_;
    ir::ExpressionContext session_;
    Program program_;
    std::vector<Value> inputs_, made_;
    std::map<int, std::uint32_t> places_of_;  ///< rule of the places of each list among the inputs
    std::uint32_t next_places_ = 0;
    std::int64_t rows_ = 0, columns_ = 0, width_ = 0;
};

}  // namespace closure
