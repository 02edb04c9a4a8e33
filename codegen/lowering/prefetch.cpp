// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "prefetch.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace frisket::codegen {

namespace {

using namespace Halide::Internal;

constexpr int distance_bytes = 4096, line_bytes = 64;

/// Finds the vectors of arguments that a loop reads side by side in memory, and loops within it.
class ReadsOfLoop final : public IRVisitor {
public:
    explicit ReadsOfLoop(std::string variable) : variable_(std::move(variable)) {}
    std::map<std::string, const Load*> first;  ///< load of each argument
    bool has_loops = false;

private:
    using IRVisitor::visit;
    void visit(const For*) override { has_loops = true; }
    void visit(const Load* load) override {
        IRVisitor::visit(load);
        const auto* const lanes = load->index.as<Ramp>();
        if (load->param.defined() && lanes != nullptr && is_const_one(lanes->stride) &&
            is_const_one(load->predicate) && expr_uses_var(lanes->base, variable_))
            first.try_emplace(load->name, load);
    }

    const std::string variable_;
};

class PrefetchArguments final : public IRMutator {
public:
    explicit PrefetchArguments(std::vector<std::string> funcs) : funcs_(std::move(funcs)) {}

private:
    using IRMutator::visit;
    Stmt visit(const For* loop) override {
        ReadsOfLoop reads(loop->name);
        loop->body.accept(&reads);
        const bool is_of_func = std::ranges::any_of(
            funcs_, [&](const std::string& func) { return loop->name.starts_with(func + "."); });
        if (reads.has_loops || !is_of_func) return IRMutator::visit(loop);
        Stmt body = loop->body;
        for (const auto& [name, load] : reads.first) body = Block::make(prefetch(*load), body);
        return For::make(loop->name, loop->min, loop->extent, loop->for_type, loop->partition_policy,
                         loop->device_api, body);
    }
    static Stmt prefetch(const Load& load) {
        const Halide::Type type = load.type.element_of();
        const Halide::Expr memory = Variable::make(Halide::type_of<void*>(), load.name);
        const Halide::Expr there = load.index.as<Ramp>()->base + distance_bytes / type.bytes();
        return Evaluate::make(Call::make(type, Call::prefetch,
                                         {memory, there, make_one(Halide::Int(32)),
                                          make_const(Halide::Int(32), line_bytes / type.bytes())},
                                         Call::Intrinsic));
    }

    const std::vector<std::string> funcs_;
};

}  // namespace

void prefetch_arguments(Halide::Pipeline& pipeline, std::vector<std::string> funcs) {
    if (!funcs.empty()) pipeline.add_custom_lowering_pass(new PrefetchArguments(std::move(funcs)));
}

}  // namespace frisket::codegen
