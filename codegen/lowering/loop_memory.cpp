// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "loop_memory.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "../../runtime/tensor/result_memory.hpp"

namespace frisket::codegen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// Instructions.  Those of expressions take their operands from a stack and put a value there; numbers that
/// follow one are named here.
enum class Code : std::int64_t {
    push,      ///< a number
    size,      ///< number of a size of the call
    extent,    ///< number of a parameter, and its dimension
    variable,  ///< number of a variable
    add,
    subtract,
    multiply,
    divide,
    modulo,
    least,
    most,
    choose,
    less,
    less_or_equal,
    equal,
    both,
    either,
    opposite,
    set,       ///< number of a variable, which takes a value
    loop,      ///< number of a variable, LoopForm, number of numbers of the body; takes first value and count
    allocate,  ///< number of an allocation; takes its bytes
    free,      ///< number of an allocation
};

/// Threads that are inside of a loop at once.
enum class LoopForm : std::int64_t {
    serial,
    parallel,
    parallel_twice,  ///< with parallel loops in it: who waits for those may begin another task of this one
};

constexpr int operand_count(Code code) {
    switch (code) {
        case Code::opposite: return 1;
        case Code::choose: return 3;
        default: return 2;
    }
}

/// Writes what statements allocate, in which loops, and what the sizes depend on.
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
    /// True of the operations that there are.
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

std::int64_t saturated(__int128 number) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    return static_cast<std::int64_t>(std::clamp<__int128>(number, -most, most));
}

/// Bytes that an allocation takes of a block of the pool or of the C library, with what both add.
std::int64_t heap_bytes(std::int64_t bytes) {
    constexpr std::int64_t rounding = 256;
    if (bytes <= 0) return 0;
    const auto wanted = static_cast<std::size_t>(bytes) + rounding;
    const bool is_pooled = wanted >= runtime::least_pooled_bytes && bytes < std::int64_t{1} << 60;
    return is_pooled ? static_cast<std::int64_t>(runtime::block_bytes(wanted)) : bytes + rounding;
}

/// The value of an instruction that computes.
std::int64_t computed(Code code, std::span<const std::int64_t> x) {
    const auto floored = [&] {
        if (x[1] == 0) return std::int64_t{0};
        const std::int64_t rest = x[0] % x[1];
        return x[0] / x[1] - (rest < 0 ? (x[1] > 0 ? 1 : -1) : 0);
    };
    switch (code) {
        case Code::add: return saturated(static_cast<__int128>(x[0]) + x[1]);
        case Code::subtract: return saturated(static_cast<__int128>(x[0]) - x[1]);
        case Code::multiply: return saturated(static_cast<__int128>(x[0]) * x[1]);
        case Code::divide: return floored();
        case Code::modulo: return x[1] == 0 ? 0 : x[0] - floored() * x[1];
        case Code::least: return std::min(x[0], x[1]);
        case Code::most: return std::max(x[0], x[1]);
        case Code::choose: return x[0] != 0 ? x[1] : x[2];
        case Code::less: return x[0] < x[1] ? 1 : 0;
        case Code::less_or_equal: return x[0] <= x[1] ? 1 : 0;
        case Code::equal: return x[0] == x[1] ? 1 : 0;
        case Code::both: return x[0] != 0 && x[1] != 0 ? 1 : 0;
        case Code::either: return x[0] != 0 || x[1] != 0 ? 1 : 0;
        default: return x[0] == 0 ? 1 : 0;
    }
}

/// Runs a formula: allocates and frees numbers of bytes.
class MemoryRun {
public:
    MemoryRun(std::span<const std::int64_t> formula, const MemoryCall& call)
        : formula_(formula), call_(call) {}

    std::int64_t most() {
        run(0, formula_.size());
        return most_;
    }

private:
    void run(std::size_t at, std::size_t end) {
        while (at < end) {
            const auto code = static_cast<Code>(formula_[at++]);
            const auto next = [&] { return formula_[at++]; };
            switch (code) {
                case Code::push: stack_.push_back(next()); break;
                case Code::size: stack_.push_back(call_.sizes[static_cast<std::size_t>(next())]); break;
                case Code::variable: stack_.push_back(variables_[next()]); break;
                case Code::extent: {
                    const auto parameter = static_cast<int>(next());
                    stack_.push_back(call_.extent(parameter, static_cast<int>(next())));
                    break;
                }
                case Code::set: variables_[next()] = pop(); break;
                case Code::allocate:
                    live_[next()] = heap_bytes(pop());
                    note(0);
                    break;
                case Code::free: live_.erase(next()); break;
                case Code::loop: {
                    const std::int64_t variable = next();
                    const auto form = static_cast<LoopForm>(next());
                    const std::size_t body = at + 1, after = body + static_cast<std::size_t>(formula_[at]);
                    run_loop(variable, form, body, after);
                    at = after;
                    break;
                }
                default: compute(code);
            }
        }
    }

    /// Tasks that run at once hold as much as the largest of them, each.
    void run_loop(std::int64_t variable, LoopForm form, std::size_t body, std::size_t end) {
        const std::int64_t count = pop(), first = pop();
        if (form == LoopForm::serial) return run_body(variable, first, count, body, end);
        const auto live = std::exchange(live_, {});
        const std::int64_t before = std::exchange(most_, 0);
        run_body(variable, first, count, body, end);
        live_ = live;
        const std::int64_t inner = std::exchange(most_, before);
        const std::int64_t tasks =
            std::min(call_.threads * (form == LoopForm::parallel_twice ? 2 : 1), count);
        note(saturated(static_cast<__int128>(inner) * tasks));
    }
    /// Runs some of many iterations: all are alike, but for the first and the last ones.
    void run_body(std::int64_t variable, std::int64_t first, std::int64_t count, std::size_t body,
                  std::size_t end) {
        constexpr std::int64_t few = 6;
        for (std::int64_t i = 0; i < std::min(count, few); ++i) {
            const std::int64_t half = few / 2;
            variables_[variable] = first + (count <= few || i < half ? i : count - few + i);
            run(body, end);
        }
    }

    std::int64_t pop() {
        const std::int64_t value = stack_.back();
        stack_.pop_back();
        return value;
    }
    void compute(Code code) {
        const auto first = stack_.end() - operand_count(code);
        const std::int64_t made = computed(code, std::span(first, stack_.end()));
        stack_.erase(first, stack_.end());
        stack_.push_back(made);
    }
    /// Counts this moment, at which `more` is held beside what is live.
    void note(__int128 more) {
        for (const auto& [id, bytes] : live_) more += bytes;
        most_ = std::max(most_, saturated(more));
    }

    const std::span<const std::int64_t> formula_;
    const MemoryCall& call_;
    std::vector<std::int64_t> stack_;
    std::map<std::int64_t, std::int64_t> variables_, live_;
    std::int64_t most_ = 0;
};

}  // namespace

std::optional<std::int64_t> evaluated(std::span<const std::int64_t> formula, const MemoryCall& call) {
    if (formula.empty()) return {};
    return MemoryRun(formula, call).most();
}

std::shared_ptr<const MemoryFormula> find_memory(Halide::Pipeline& pipeline,
                                                 const std::vector<Halide::Argument>& arguments,
                                                 const kernel::LoopAbi& abi) {
    MemoryWriter::Names numbers;
    std::vector<std::string> names;
    for (std::size_t i = 1; i < arguments.size(); ++i) names.push_back(arguments[i].name);
    for (const Halide::Func& func : pipeline.outputs())
        for (int i = 0; i < func.outputs(); ++i)
            names.push_back(func.outputs() == 1 ? func.name() : func.name() + "." + std::to_string(i));
    std::map<std::string, int> buffers;
    for (std::size_t i = 0; i < abi.size(); ++i) {
        if (abi[i].role == kernel::LoopRole::size)
            numbers[names[i]] = {static_cast<std::int64_t>(Code::size), abi[i].index};
        else if (kernel::is_array(abi[i].role))
            buffers[names[i] + ".buffer"] = static_cast<int>(i);
    }
    auto found = std::make_shared<MemoryFormula>();
    pipeline.add_custom_lowering_pass(new FindMemory(std::move(numbers), std::move(buffers), found));
    return found;
}

}  // namespace frisket::codegen
