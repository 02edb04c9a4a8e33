// SPDX-License-Identifier: MIT
// Evaluates the scalar part of a step on the host, once for each call.
#pragma once
#include "../runtime/kernel/aot_tables.hpp"
#include "../runtime/kernel/argument.hpp"
#include "graph.hpp"

#include <span>
#include <vector>

namespace frisket::ir {

/// A host number that a kernel reads: a host scalar, rounded to the dtype of the other operand.
struct HostSlot {
    NodeId node = no_node;
    DType dtype = DType::float32;
    bool operator==(const HostSlot&) const = default;
};

/// The part of a step that is evaluated once a call on the host, in double, int64 and bool: constants,
/// scalars, values computed only from them, and the updates of ScalarState.  A call makes an array of size()
/// doubles on its stack, has it evaluated, hands the first slots().size() of them to the loops, and when
/// these are done stores the states.
/// Threads: a ScalarProgram may be used from any number of them.
class ScalarProgram {
public:
    static ScalarProgram of(const Graph& graph);
    /// The program that instructions(), states(), dtypes() and size() of another were written to.
    /// Errors: ValueError if the table names an operation or a dtype that does not exist.
    static ScalarProgram of(const aot::NumbersTable& table);

    /// The numbers that loops read, each (node, dtype) once; slot i is numbers[i].
    std::span<const HostSlot> slots() const noexcept { return slots_; }
    /// Their dtypes.
    std::vector<DType> dtypes() const;
    /// Index of a slot.  Errors: Bug if the loops do not read that.
    int slot(NodeId node, DType dtype) const;
    /// Number of doubles that `evaluate` writes: slots, new values of states, and its own scratch.
    std::size_t size() const noexcept { return size_; }

    /// Arguments are in the order of the graph's symbols.  A slot of bool holds 0 or 1, one of float32 a
    /// float's value, one of int64 the double of the same bits (scalar_value.hpp).
    /// Cost: a few nanoseconds an operation; allocates nothing.
    /// Errors: DTypeError if an integer meets int32 elements, which cannot hold it.
    void evaluate(std::span<const Argument> arguments, double* numbers) const;
    /// Evaluates with the constants of `graph`, which equals the graph of this program except for them.
    void evaluate(const Graph& graph, std::span<const Argument> arguments, double* numbers) const;
    /// Gives every updated ScalarState the new value that `evaluate` left in `numbers`.
    void store_states(std::span<const Argument> arguments, const double* numbers) const noexcept;
    /// True if `store_states` has anything to do.
    bool has_states() const noexcept { return !states_.empty(); }

    /// The program as plain data, for kernels that are compiled ahead of time.
    std::vector<aot::NumberRow> instructions() const;
    std::span<const aot::StateRow> states() const noexcept { return states_; }

private:
    using Kind = aot::NumberRow::Kind;
    /// numbers[result] = the value that `kind` specifies.
    struct Instruction {
        Kind kind = Kind::constant;
        OpId op{};
        DType dtype = DType::float64;  ///< dtype of the result; kind op: dtype of the operands
        DType from = DType::float64;   ///< kind convert
        double (*eval)(const double* operands) = nullptr;
        /// Indices of numbers; kind argument: operands[0] is the argument's index; kind constant: its node;
        /// kind convert: operands[1] is 0 if the number must fit.
        std::array<int, 3> operands{-1, -1, -1};
        int result = 0;
        double constant = 0;  ///< as it is held
    };
    class Compiler;

    /// A constant as numbers are held.
    static double held(const Node& node);

    /// `constant_of(instruction)`: the value of an instruction of kind constant.
    template <class ConstantOf>
    void carry_out(std::span<const Argument> arguments, double* numbers, ConstantOf constant_of) const;

    std::vector<HostSlot> slots_;
    std::vector<Instruction> instructions_;
    std::vector<aot::StateRow> states_;
    std::size_t size_ = 0;
};

}  // namespace frisket::ir
