// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/graph.hpp"
#include "value.hpp"

#include <map>
#include <string>
#include <vector>

namespace conformance {

/// One line of a program: out = op(args; attrs).
struct Instruction {
    std::string op;
    std::vector<std::string> args;
    Json attrs;
    std::string out;
};

/// Computation of a case: inputs named x0, x1, …, instructions in order, names of the results.
struct Program {
    std::vector<Instruction> instructions;
    std::vector<std::string> outputs;
};

/// A case as a program; a single operation is a program of one line; `backward` and `program` have their own
/// programs.
Program program_of(const Json& test);

/// True if a program is a step: elementwise, of operations that do not check the values of these inputs.
/// Errors: BindingError for operations and attributes that do not exist.
bool is_step(const Program& program, const Json& inputs);

/// Some results of a program as one step: each is assigned to an InOut symbol out0, out1, ….
struct Step {
    frisket::Graph graph;
    std::vector<frisket::Shape> shapes;  ///< shape of each result
    std::vector<frisket::DType> dtypes;  ///< dtype of each result
    std::vector<bool> masked;            ///< true for results that are masked tensors
};

/// Shape: where operands do not broadcast, the shape is the first operand's, and the call is left to
/// complain.
/// Errors: the library's, of graphs.
Step step_of(const Program& program, const std::vector<Input>& inputs,
             const std::vector<std::string>& outputs);

}  // namespace conformance
