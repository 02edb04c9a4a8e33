// SPDX-License-Identifier: MIT
#pragma once
#include "list_programs.hpp"

#include <string>
#include <vector>

namespace closure {

/// Name of each instruction's operation: the form, and its kinds of operands where these differ.
std::vector<std::string> operations_of(const Program& small);

/// Operations that the last instruction reads: "list" and "dense" for arguments, the operation for a result.
std::vector<std::string> operands_of_last(const Program& small);

/// An operation whose result another one reads; arguments are "list" and "dense".
struct Pair {
    std::string from, to;
    auto operator<=>(const Pair&) const = default;
};
std::vector<Pair> pairs_of(const Program& small);

/// True if every dense tensor of a huge shape is read only at elements of a list: the program is a list
/// expression.
bool is_list_expression(const Program& small);

}  // namespace closure
