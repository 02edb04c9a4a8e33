// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device_schedule.hpp"

#include <string>
#include <string_view>

#include "../../runtime/tensor/error.hpp"

/// Passes over the loops of devices, once Halide has made them.
namespace frisket::codegen {

namespace hl = Halide::Internal;
using namespace Halide::Internal;

namespace {

/// Gives the dimensions of a buffer an element at least.
class WithElements final : public IRMutator {
    using IRMutator::visit;
    Halide::Expr visit(const Call* call) override {
        if (!call->is_intrinsic(Call::make_struct)) return IRMutator::visit(call);
        std::vector<Halide::Expr> dims = call->args;  // minimum, extent, stride and flags of each
        for (std::size_t i = 1; i < dims.size(); i += 4) dims[i] = max(dims[i], 1);
        return Call::make(call->type, call->name, dims, call->call_type);
    }
};

/// True if an expression reads memory.
bool reads_memory(const Halide::Expr& expression) {
    class FindLoads final : public IRVisitor {
    public:
        bool any = false;

    private:
        using IRVisitor::visit;
        void visit(const Load*) override { any = true; }
    } loads;
    expression.accept(&loads);
    return loads.any;
}

/// Counts kernels, and puts each under a test that there is something to do.  No element is read or written
/// elsewhere: tensors are not on the processor.  Memory on the way has an element at least, as Halide's
/// runtime ends the process where it is asked for none.
class GuardKernels final : public IRMutator {
public:
    int count = 0;

private:
    using IRMutator::visit;
    Stmt visit(const LetStmt* let) override {
        // Halide skips a stage that no element asks for, if one condition holds for all: the processor would
        // have to read it.
        const bool is_skip = std::string_view(let->name).ends_with(".used") && reads_memory(let->value);
        if (is_skip) return LetStmt::make(let->name, const_true(), mutate(let->body));
        const auto* const inner = let->value.as<hl::Let>();
        const auto* const call = (inner != nullptr ? inner->body : let->value).as<Call>();
        if (call == nullptr || call->name != Call::buffer_init) return IRMutator::visit(let);
        return LetStmt::make(let->name, WithElements().mutate(let->value), mutate(let->body));
    }
    Stmt visit(const For* loop) override {
        if (loop->for_type != ForType::GPUBlock) return IRMutator::visit(loop);
        ++count;
        Halide::Expr is_any = const_true();
        for (const For* one = loop; one != nullptr && one->for_type == ForType::GPUBlock;
             one = one->body.as<For>())
            is_any = is_any && one->extent > 0;
        return IfThenElse::make(simplify(is_any), loop);
    }
    Stmt visit(const Halide::Internal::Store* store) override {
        check(store->name);
        return IRMutator::visit(store);
    }
    Halide::Expr visit(const Load* load) override {
        check(load->name);
        return IRMutator::visit(load);
    }
    /// Accepts sizes of memory that threads share.
    static void check(const std::string& name) {
        if (name.ends_with(".shared_size")) return;
        throw Bug("the loops of a device leave " + name + " to the processor");
    }
};

class CountKernels final : public IRMutator {
public:
    explicit CountKernels(std::shared_ptr<int> count) : count_(std::move(count)) {}
    Stmt mutate(const Stmt& loops) override {
        GuardKernels guard;
        Stmt guarded = guard.mutate(simplify(loops));  // tests that were left out read elements
        *count_ = guard.count;
        return guarded;
    }

private:
    const std::shared_ptr<int> count_;
};

/// Leaves out the tests of arguments, but not the tests of a driver's answers.
class LeaveOutTests final : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const AssertStmt* test) override {
        Halide::Expr message = test->message;
        while (const auto* const let = message.as<hl::Let>()) message = let->body;
        const auto* const call = message.as<Call>();
        const bool is_of_call = call != nullptr && std::string_view(call->name).starts_with("halide_error_");
        return is_of_call ? Evaluate::make(0) : IRMutator::visit(test);
    }
};

}  // namespace

std::shared_ptr<const int> count_kernels(Halide::Pipeline& pipeline) {
    auto count = std::make_shared<int>(0);
    pipeline.add_custom_lowering_pass(new CountKernels(count));
    return count;
}

void leave_out_tests(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new LeaveOutTests); }

}  // namespace frisket::codegen
