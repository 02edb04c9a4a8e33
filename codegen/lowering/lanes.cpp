// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "lanes.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace frisket::codegen {

namespace {

using namespace Halide::Internal;

/// A shuffle: where lane `lane` of the result comes from, among the lanes of all operands.
struct ShuffleKind {
    std::string name;  ///< prefix of a call's name, before a number
    int (*from)(int lane, int lanes, int number);
};

const ShuffleKind shift_kind{"frisket.shifted.",
                             [](int lane, int, int places) { return std::max(lane - places, 0); }};
const ShuffleKind lower_kind{"frisket.exchanged_lower.", [](int lane, int lanes, int bit) {
                                 return (lane & bit) == 0 ? lane : lanes + (lane ^ bit);
                             }};
const ShuffleKind upper_kind{"frisket.exchanged_upper.", [](int lane, int lanes, int bit) {
                                 return (lane & bit) == 0 ? lane ^ bit : lanes + lane;
                             }};

Halide::Expr call_of(const ShuffleKind& kind, int number, const std::vector<Halide::Expr>& operands) {
    return Call::make(operands[0].type(), kind.name + std::to_string(number), operands, Call::PureExtern);
}

/// Replaces calls, whose last operand is the lane.
class ShuffleLanes final : public IRMutator {
    using IRMutator::visit;
    Halide::Expr visit(const Call* call) override {
        for (const ShuffleKind* kind : {&shift_kind, &lower_kind, &upper_kind})
            if (call->name.starts_with(kind->name)) return shuffle(*kind, *call);
        return IRMutator::visit(call);
    }
    Halide::Expr shuffle(const ShuffleKind& kind, const Call& call) {
        const int number = std::stoi(call.name.substr(kind.name.size())), lanes = call.type.lanes();
        if (lanes <= number) throw Halide::InternalError(call.name + " is in a loop without such vectors");
        std::vector<int> from;
        for (int lane = 0; lane < lanes; ++lane) from.push_back(kind.from(lane, lanes, number));
        std::vector<Halide::Expr> operands;
        for (std::size_t i = 0; i + 1 < call.args.size(); ++i) operands.push_back(mutate(call.args[i]));
        return Shuffle::make(operands, from);
    }
};

/// True for the memory of a Func with that name, or of a component of it.
bool is_whole(const std::string& memory) {
    const std::string name(whole_lanes_name);
    return memory == name || memory.starts_with(name + ".") || memory.starts_with(name + "$");
}

/// Gives lanes that a store leaves out their present values, which only their thread reads.
class StoreLanesWhole final : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Halide::Internal::Store* store) override {
        if (!is_whole(store->name) || is_const_one(store->predicate)) return IRMutator::visit(store);
        const Halide::Expr all = const_true(store->value.type().lanes());
        const Halide::Expr held =
            Load::make(store->value.type(), store->name, store->index, {}, {}, all, store->alignment);
        return Halide::Internal::Store::make(store->name,
                                             Halide::select(store->predicate, mutate(store->value), held),
                                             store->index, store->param, all, store->alignment);
    }
    Halide::Expr visit(const Load* load) override {
        if (!is_whole(load->name) || is_const_one(load->predicate)) return IRMutator::visit(load);
        return Load::make(load->type, load->name, load->index, load->image, load->param,
                          const_true(load->type.lanes()), load->alignment);
    }
};

}  // namespace

Halide::Expr shifted(const Halide::Expr& value, const Halide::Expr& lane, int places) {
    return call_of(shift_kind, places, {value, lane});
}

Halide::Expr exchanged_lower(const Halide::Expr& lower, const Halide::Expr& upper, const Halide::Expr& lane,
                             int bit) {
    return call_of(lower_kind, bit, {lower, upper, lane});
}

Halide::Expr exchanged_upper(const Halide::Expr& lower, const Halide::Expr& upper, const Halide::Expr& lane,
                             int bit) {
    return call_of(upper_kind, bit, {lower, upper, lane});
}

void shuffle_lanes(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new ShuffleLanes); }

void store_lanes_whole(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new StoreLanesWhole); }

}  // namespace frisket::codegen
