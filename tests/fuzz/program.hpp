// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/expressions/expression_context.hpp"
#include "../support/poison.hpp"
#include "../support/random.hpp"

#include <deque>
#include <functional>
#include <memory>

/// Random programs as plain data, which the fuzzer makes, runs, makes smaller and prints.
namespace fuzz {

using namespace frisket;
using ir::Dims;
using ir::Value;
using testing::Listed;
using testing::Poison;

/// Arrangement of a tensor in memory.
enum class Lies : std::uint8_t {
    rows,        ///< row-major
    transposed,  ///< the last two dimensions exchanged
    sliced,      ///< every second element of the last dimension
    reversed,    ///< the last dimension backwards
    padded,      ///< with something after each row, each matrix and so on: no two dimensions are one
    repeated,    ///< dimension 0 has stride 0; its slices are equal
    shifted,     ///< not aligned to more than an element
    page_end,    ///< up to the last byte before a page that must not be touched
};

/// Kinds of arguments of a step.
enum class Takes : std::uint8_t {
    tensor,
    number,  ///< a host scalar, float64 or int64
    state,   ///< a number that the step writes back
};

/// A tensor that a program reads.  Values and mask are row-major.
struct Input {
    AnyTensor values;
    std::optional<AnyTensor> mask = {};
    Layout layout = Layout::strided;  ///< layout of an input with a mask
    Lies lies = Lies::rows;
    std::int64_t bound = 0;             ///< indices: the extent that they index
    Listed listed = Listed::ascending;  ///< order of the list of layouts coo and rows
    Takes takes = Takes::tensor;
    int same_as = -1;          ///< an input before it that is the very same tensor
    bool is_turned = false;    ///< shares the tensor of `same_as`, with its last two dimensions exchanged
    bool is_prepared = false;  ///< its mask was prepared by the kernel before the call
    /// A list, instead of values and mask: for a shape of which these may not fit into memory.
    std::optional<AnyMasked> list = {};
};

/// One call of the functions in ir/tensor_ops/value.hpp.
struct Instruction {
    int form = 0;                    ///< a row of forms()
    std::vector<int> operands = {};  ///< i: result of instruction i; -1 - i: input i
    OpId op{};
    MaskMode mode = MaskMode::equal;
    Dims dims = {};
    std::optional<int> dim = {};
    bool flag = false;
    double number = 0;
    std::int64_t a = 0, b = 0;
    Shape shape = {};
    DType dtype = DType::float32;
};

/// An update of a step: a dense input takes a value.
struct Target {
    int input = 0;
    int value = 0;  ///< as operands are
    bool is_everywhere = false;
    bool is_early = false;  ///< updates after the value read the updated input
};

/// Ways to run a step.
enum class RunAs : std::uint8_t {
    step,    ///< with shapes, by stages
    kernel,  ///< elementwise, for any shape
    ahead,   ///< a kernel that was compiled with this program (ahead.hpp)
};

/// An expression with results, or a step with targets.
struct Program {
    std::uint32_t seed = 0;
    std::vector<Input> inputs;
    std::vector<Instruction> instructions;
    std::vector<int> results;  ///< as operands are
    std::vector<Target> targets;
    std::vector<int> skips = {};  ///< values, as operands are: a step changes nothing where one is not finite
    RunAs as = RunAs::step;
    std::string schedule = {};  ///< schedule of a kernel; empty: none
    int ahead = 0;              ///< which of them
    int rounded = -1;           ///< target of 16 bits that a kernel rounds stochastically; -1: none
    std::int64_t step = 0;      ///< number of the step, for the random bits of rounding
    bool is_step() const { return !targets.empty(); }
};

/// Builder of an instruction: the function, and its call as C++.
struct Form {
    /// Choices that the generator has to make.
    enum class Wants : std::uint8_t {
        unary,
        binary,
        number,
        where,
        cast,
        clamp,
        dims,
        dim,
        dim_or_none,
        norm,
        normalize,
        select,
        slice,
        two_dims,
        flatten,
        reshape,
        unsqueeze,
        expand,
        repeat,
        roll,
        diagonal,
        index,
        gather,
        indices,
        condition,
        join,
        matmul,
        linear,
        gradient,
        fill,
        mask,
        other
    };
    std::string_view name;
    int weight = 1;
    Wants wants = Wants::unary;
    Value (*apply)(ir::ExpressionContext* session, const std::vector<Value>& x,
                   const Instruction& with) = nullptr;
    std::string_view text;
    /// True if it evaluates operands while it is built, which a step cannot.
    bool needs_session() const { return text.starts_with("session"); }
    /// True if kernels have it, whose tensors have any shape.
    bool is_elementwise() const { return wants <= Wants::clamp || wants == Wants::fill || name == "mask_of"; }
};
std::span<const Form> forms();

/// Storage of the inputs of one run.
struct Storing {
    /// Choice of memory and of layouts.
    enum class As : std::uint8_t {
        program,  ///< memory and layouts of the inputs
        other,    ///< masked inputs in other layouts that can hold them
        plain,    ///< each a tensor of its own, row-major, with a byte mask; masked inputs are shared
    };
    Poison poison = Poison::quiet;
    As as = As::program;
};

using Bound = std::variant<AnyTensor, AnyMasked>;
/// The tensors of a program's inputs.
std::deque<Bound> store(const Program& program, const Storing& storing);

/// Outcome of a run: an error, or results.
struct Outcome {
    std::optional<ErrorCode> error = {};
    std::string text;
    std::vector<Result> results;
    std::vector<AnyTensor> before;  ///< targets before the run, in the order of the results
};

/// Function that runs a step.
using Run = std::function<void(const Graph&, std::span<const Argument>, const Program&)>;
/// One of the two ways, or the other with noise.
struct Engine {
    ir::ExpressionContext::Evaluate evaluate;
    Run run;
};

/// A program while it is built, instruction after instruction.
class Building {
public:
    struct Settings {
        bool is_step = false, has_shapes = true;
        ir::ExpressionContext::Evaluate evaluate = &frisket::evaluate;
    };
    Building(const Program& program, const std::deque<Bound>& tensors, const Settings& settings);
    /// Builds an instruction from the values before it, and the updates that follow at once.
    void add(const Instruction& one);
    void add_all() {
        for (const Instruction& one : program_.instructions) add(one);
    }
    /// The step, with all updates.
    Graph step();
    std::vector<Result> run_expression();
    /// The context of an expression; steps have none.
    ir::ExpressionContext& session() noexcept { return session_; }
    /// The expression for an operand.
    Value operator[](int operand) const;

private:
    Value symbol(int input);
    void update(const Target& target);

    const Program& program_;
    const std::deque<Bound>& tensors_;
    bool is_step_, has_shapes_;
    ir::ExpressionContext session_;  // context of an expression
    GraphBuilder builder_;           // builder of a step
    std::vector<Value> inputs_, made_;
};

bool is_target(const Program& program, int input);
/// Arguments of a step's call: refers to the tensors.
std::vector<Argument> arguments_of(const Program& program, const std::deque<Bound>& tensors);
/// The graph of a step.
Graph graph_of(const Program& program, const std::deque<Bound>& tensors);
/// Builds and runs a program.  The targets of a step are between red zones, of which a broken one is a Bug.
Outcome run(const Program& program, const Storing& storing, const Engine& engine);

}  // namespace fuzz
