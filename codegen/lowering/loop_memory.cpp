// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "loop_memory.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace frisket::codegen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Internal::Let;
using Halide::Internal::Variable;

using namespace memory_formula;

/// Writes the allocations of statements, their loops, and the inputs of their sizes.
class MemoryWriter final : public IRVisitor {
public:
    /// Meanings of the names of parameters.
    using Names = std::map<std::string, MemoryFormula>;
    MemoryWriter(Names numbers, const std::map<std::string, int>& buffers)
        : names_(std::move(numbers)), buffers_(buffers) {}

    /// Nothing if the loops do not say how much they take.
    MemoryFormula written(const Stmt& loops) {
        loops.accept(this);
        constexpr std::int64_t none = 0;
        if (out_.empty()) out_ = {static_cast<std::int64_t>(Code::push), none};
        return is_known_ ? std::move(out_) : MemoryFormula();
    }

private:
    using IRVisitor::visit;

    void visit(const LetStmt* op) override {
        const MemoryFormula body = inside(op->body);
        if (used_.contains(op->name)) define(op->name, op->value);
        append(body);
    }
    void visit(const For* op) override {
        const bool has_parallel_beside = std::exchange(has_parallel_, false);
        const MemoryFormula body = inside(op->body);
        const bool is_parallel = op->for_type == ForType::Parallel;
        const LoopForm form = !is_parallel    ? LoopForm::serial
                              : has_parallel_ ? LoopForm::parallel_twice
                                              : LoopForm::parallel;
        has_parallel_ = has_parallel_ || is_parallel || has_parallel_beside;
        if (body.empty()) return;
        write(op->min);
        write(op->extent);
        add(Code::loop, {variable(op->name), static_cast<std::int64_t>(form), std::ssize(body)});
        append(body);
    }
    void visit(const Allocate* op) override {
        const std::int64_t known = std::int64_t{op->constant_allocation_size()} * op->type.bytes();
        const bool is_on_stack =
            op->memory_type != Halide::MemoryType::Heap && known > 0 && can_allocation_fit_on_stack(known);
        if (is_on_stack || op->new_expr.defined()) return op->body.accept(this);
        const std::int64_t id = allocations_.emplace(op->name, std::ssize(allocations_)).first->second;
        const MemoryFormula body = inside(op->body);
        write(make_const(Halide::Int(64), op->type.bytes()));
        for (const Expr& extent : op->extents) write(Code::multiply, {extent});
        write(Code::add, {Expr(op->padding * op->type.bytes())});
        add(Code::allocate, {id});
        append(body);
        add(Code::free, {id});
    }
    void visit(const Free* op) override {
        if (const auto known = allocations_.find(op->name); known != allocations_.end())
            add(Code::free, {known->second});
    }

    MemoryFormula inside(const Stmt& body) {
        MemoryFormula before = std::exchange(out_, {});
        body.accept(this);
        return std::exchange(out_, std::move(before));
    }
    void append(const MemoryFormula& more) { out_.insert(out_.end(), more.begin(), more.end()); }
    void add(Code code, const std::vector<std::int64_t>& numbers = {}) {
        out_.push_back(static_cast<std::int64_t>(code));
        append(numbers);
    }
    std::int64_t variable(const std::string& name) {
        return variables_.emplace(name, std::ssize(variables_)).first->second;
    }

    /// Lets a variable have the value of an expression; buffers of loops begin at 0.
    void define(const std::string& name, const Expr& value) {
        const auto* const call = value.as<Call>();
        if (call != nullptr && call->name == Call::buffer_get_min)
            add(Code::push, {0});
        else if (call != nullptr && call->name == Call::buffer_get_extent)
            write_extent(*call);
        else
            write(value);
        add(Code::set, {variable(name)});
    }
    void write_extent(const Call& call) {
        const auto* const buffer = call.args[0].as<Variable>();
        const auto dim = as_const_int(call.args[1]);
        const auto known = buffer == nullptr ? buffers_.end() : buffers_.find(buffer->name);
        if (known == buffers_.end() || !dim) return fail();
        add(Code::extent, {known->second, *dim});
    }

    void write(const Expr& e) {
        if (const auto number = as_const_int(e)) return add(Code::push, {*number});
        if (const auto number = as_const_uint(e))
            return add(Code::push, {static_cast<std::int64_t>(*number)});
        if (const auto* variable = e.as<Variable>()) return write_variable(variable->name);
        if (const auto* cast = e.as<Cast>()) return write(cast->value);
        if (const auto* let = e.as<Let>()) {
            define(let->name, let->value);
            return write(let->body);
        }
        if (const auto* call = e.as<Call>()) {
            const bool is_same =
                call->is_intrinsic(Call::likely) || call->is_intrinsic(Call::likely_if_innermost) ||
                call->is_intrinsic(Call::promise_clamped) || call->is_intrinsic(Call::unsafe_promise_clamped);
            return is_same ? write(call->args[0]) : fail();
        }
        if (!write_operation(e)) fail();
    }
    /// True for the operations that there are.
    bool write_operation(const Expr& e) {
        if (const auto* select = e.as<Select>())
            return write(Code::choose, {select->condition, select->true_value, select->false_value});
        if (const auto* inverse = e.as<Not>()) return write(Code::opposite, {inverse->a});
        if (const auto* pair = e.as<NE>())
            return write(Code::equal, {pair->a, pair->b}) && write(Code::opposite, {});
        return write_pair<Add>(e, Code::add) || write_pair<Sub>(e, Code::subtract) ||
               write_pair<Mul>(e, Code::multiply) || write_pair<Div>(e, Code::divide) ||
               write_pair<Mod>(e, Code::modulo) || write_pair<Min>(e, Code::least) ||
               write_pair<Max>(e, Code::most) || write_pair<LT>(e, Code::less) ||
               write_pair<LE>(e, Code::less_or_equal) || write_pair<EQ>(e, Code::equal) ||
               write_pair<And>(e, Code::both) || write_pair<Or>(e, Code::either) ||
               write_pair<GT, true>(e, Code::less) || write_pair<GE, true>(e, Code::less_or_equal);
    }
    bool write(Code code, const std::vector<Expr>& operands) {
        for (const Expr& operand : operands) write(operand);
        add(code);
        return true;
    }
    template <class Pair, bool is_turned = false>
    bool write_pair(const Expr& e, Code code) {
        const auto* pair = e.as<Pair>();
        if (pair == nullptr) return false;
        return is_turned ? write(code, {pair->b, pair->a}) : write(code, {pair->a, pair->b});
    }
    void write_variable(const std::string& name) {
        if (const auto known = names_.find(name); known != names_.end()) return append(known->second);
        used_.insert(name);
        add(Code::variable, {variable(name)});
    }
    void fail() { is_known_ = false; }

    const Names names_;
    const std::map<std::string, int>& buffers_;  // parameters of the loops, by the names of their buffers
    MemoryFormula out_;
    std::map<std::string, std::int64_t> variables_, allocations_;
    std::set<std::string> used_;
    bool has_parallel_ = false;  // among the loops inside of this one
    bool is_known_ = true;
};

/// Reads the loops and changes nothing.
class FindMemory final : public IRMutator {
public:
    FindMemory(MemoryWriter::Names numbers, std::map<std::string, int> buffers,
               std::shared_ptr<MemoryFormula> found)
        : numbers_(std::move(numbers)), buffers_(std::move(buffers)), found_(std::move(found)) {}

    Stmt mutate(const Stmt& loops) override {
        *found_ = MemoryWriter(numbers_, buffers_).written(loops);
        return loops;
    }

private:
    const MemoryWriter::Names numbers_;
    const std::map<std::string, int> buffers_;
    const std::shared_ptr<MemoryFormula> found_;
};

}  // namespace

std::shared_ptr<const MemoryFormula> find_memory(Halide::Pipeline& pipeline,
                                                 const std::vector<Halide::Argument>& arguments,
                                                 const kernel_calls::LoopAbi& abi) {
    MemoryWriter::Names numbers;
    std::vector<std::string> names;
    for (std::size_t i = 1; i < arguments.size(); ++i) names.push_back(arguments[i].name);
    for (const Halide::Func& func : pipeline.outputs())
        for (int i = 0; i < func.outputs(); ++i)
            names.push_back(func.outputs() == 1 ? func.name() : func.name() + "." + std::to_string(i));
    std::map<std::string, int> buffers;
    for (std::size_t i = 0; i < abi.size(); ++i) {
        if (abi[i].role == kernel_calls::LoopRole::size)
            numbers[names[i]] = {static_cast<std::int64_t>(Code::size), abi[i].index};
        else if (kernel_calls::is_array(abi[i].role))
            buffers[names[i] + ".buffer"] = static_cast<int>(i);
    }
    auto found = std::make_shared<MemoryFormula>();
    pipeline.add_custom_lowering_pass(new FindMemory(std::move(numbers), std::move(buffers), found));
    return found;
}

}  // namespace frisket::codegen
