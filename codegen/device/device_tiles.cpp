// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device_tiles.hpp"

#include <map>
#include <string>
#include <vector>

#include "../../runtime/tensor/error.hpp"
#include "../loops/built_loops.hpp"

namespace frisket::codegen {

using Halide::Func;
using Halide::LoopLevel;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

namespace {

constexpr int each = device_tile / device_threads;  // columns and rows of a thread

/// Dimensions of batches that blocks run over; each block takes those beyond in turn.  To Halide a number
/// that is taken from a block's is one number as long as its expression has fewer than 10 variables.
constexpr std::size_t batches_of_blocks = 2;

/// Elements of a tile by thread: neighbouring threads take neighbouring columns.
struct TileLoops {
    Var column{"column_"}, row{"row_"};  // elements of a thread
    Var thread_x{"thread_x_"}, thread_y{"thread_y_"};

    /// Has each thread keep its elements, `outside` the loops of the threads.
    template <class Stage>
    void keep(Stage&& stage, const Var& x, const Var& y, const std::vector<Halide::VarOrRVar>& inside,
              const std::vector<Halide::VarOrRVar>& outside) const {
        stage.split(x, column, thread_x, device_threads, TailStrategy::GuardWithIf)
            .split(y, thread_y, row, each, TailStrategy::GuardWithIf);
        std::vector<Halide::VarOrRVar> order{column, row};
        order.insert(order.end(), inside.begin(), inside.end());
        order.insert(order.end(), {thread_x, thread_y});
        order.insert(order.end(), outside.begin(), outside.end());
        stage.reorder(order).unroll(column).unroll(row).gpu_threads(thread_x, thread_y);
    }
};

/// Copies of a step's part of a factor: neighbouring threads copy neighbouring elements, of rows along the
/// terms, of columns along the columns.
void share(Func packed, const LoopLevel& level, bool is_column) {
    const std::vector<Var> at = packed.args();
    const Var part("part_"), thread("thread_x_");
    packed.compute_at(level)
        .store_in(MemoryType::GPUShared)
        .bound(at[0], 0, device_tile)
        .bound(at[1], 0, device_step)
        .split(at[0], part, thread, device_threads);
    if (is_column)
        packed.reorder(part, thread, at[1]).unroll(part).gpu_threads(thread, at[1]);
    else
        packed.reorder(part, at[1], thread).unroll(part).gpu_threads(at[1], thread);
}

}  // namespace

void schedule_tiles(Func kernel, int row, DeviceTile tile) {
    const TileLoops loops;
    const std::vector<Var> at = kernel.args();
    const Var x = at[0], y = at[static_cast<std::size_t>(row)];
    const Var tile_x("tile_x_"), tile_y("tile_y_"), in_x("in_x_"), in_y("in_y_");
    kernel.compute_root()
        .split(x, tile_x, in_x, device_tile, TailStrategy::GuardWithIf)
        .split(y, tile_y, in_y, device_tile, TailStrategy::GuardWithIf);
    std::vector<Var> blocks{tile_x, tile_y}, in_turn;
    for (std::size_t i = 1; i < at.size(); ++i) {
        if (static_cast<int>(i) == row) continue;
        (blocks.size() < 2 + batches_of_blocks ? blocks : in_turn).push_back(at[i]);
    }
    std::vector<Halide::VarOrRVar> outside(in_turn.begin(), in_turn.end());
    outside.insert(outside.end(), blocks.begin(), blocks.end());
    loops.keep(kernel, in_x, in_y, {}, outside);
    const Var block = fuse_loops(kernel, blocks, "tiles_");
    kernel.gpu_blocks(block);  // One dimension of blocks: CUDA takes at most 65535 along y and z.

    LoopLevel level(kernel, in_turn.empty() ? block : in_turn[0]);
    const auto in_registers = [&](Func& sums) {
        const std::vector<Var> own = sums.args();
        sums.compute_at(level)
            .store_in(MemoryType::Register)
            .bound(own[0], 0, device_tile)
            .bound(own[1], 0, device_tile);
        for (std::size_t i = 2; i < own.size(); ++i) sums.bound_extent(own[i], 1);
        loops.keep(sums, own[0], own[1], {}, {});
        return own;
    };
    if (tile.has_total) {
        const std::vector<Var> own = in_registers(tile.total);
        const RVar panel(tile.total.rvars()[0].name());
        loops.keep(tile.total.update(), own[0], own[1], {}, {panel});
        level = LoopLevel(tile.total, panel);
    }
    const std::vector<Var> own = in_registers(tile.sums);
    const RVar term(tile.sums.rvars()[0].name()), step(tile.sums.rvars()[1].name());
    loops.keep(tile.sums.update(), own[0], own[1], {term}, {step});
    const LoopLevel at_step(tile.sums, step);
    share(tile.rows, at_step, false);
    share(tile.columns, at_step, true);
}

namespace {

namespace hl = Halide::Internal;

bool is_of_tile(const std::string& name) {
    return name.starts_with(tile_sums_name) || name.starts_with(tile_total_name);
}

/// Shrinks the sums of a tile to one thread's sums.
class KeepOwnSums final : public hl::IRMutator {
    using IRMutator::visit;

    hl::Stmt visit(const hl::For* loop) override {
        if (loop->for_type == hl::ForType::GPUThread) first_[loop->name] = hl::make_zero(Halide::Int(bits));
        return IRMutator::visit(loop);
    }
    template <class AnyLet>
    void note(const AnyLet* let) {
        if (let->value.type() == Halide::Int(bits))
            first_[let->name] = hl::simplify(hl::substitute(first_, let->value));
    }
    hl::Stmt visit(const hl::LetStmt* let) override {
        note(let);
        return IRMutator::visit(let);
    }
    Halide::Expr visit(const hl::Let* let) override {
        note(let);
        return IRMutator::visit(let);
    }
    hl::Stmt visit(const hl::Allocate* memory) override {
        if (!is_of_tile(memory->name)) return IRMutator::visit(memory);
        return hl::Allocate::make(memory->name, memory->type, memory->memory_type, {each * each},
                                  memory->condition, mutate(memory->body));
    }
    Halide::Expr visit(const hl::Load* load) override {
        if (!is_of_tile(load->name)) return IRMutator::visit(load);
        return hl::Load::make(load->type, load->name, own(load->index), load->image, load->param,
                              load->predicate, {});
    }
    hl::Stmt visit(const hl::Store* store) override {
        if (!is_of_tile(store->name)) return IRMutator::visit(store);
        return hl::Store::make(store->name, mutate(store->value), own(store->index), store->param,
                               store->predicate, {});
    }
    /// The index among a thread's sums for a position in the tile: the index of the first thread.
    Halide::Expr own(const Halide::Expr& index) const {
        const Halide::Expr first = hl::simplify(hl::substitute(first_, index));
        const auto place = hl::as_const_int(first);
        if (!place) throw Bug("a thread does not know which sums of a tile are its own");
        const auto at = static_cast<int>(*place);
        return at / device_tile * each + at % device_tile / device_threads;
    }

    static constexpr int bits = 32;
    std::map<std::string, Halide::Expr> first_;  // numbers of the first thread, and the values of lets for it
};

/// Finds sums of tiles.
class FindSums final : public hl::IRVisitor {
public:
    bool any = false;

private:
    using IRVisitor::visit;
    void visit(const hl::Allocate* memory) override {
        any = any || is_of_tile(memory->name);
        IRVisitor::visit(memory);
    }
};

class KeepSums final : public hl::IRMutator {
public:
    hl::Stmt mutate(const hl::Stmt& loops) override {
        FindSums sums;
        loops.accept(&sums);
        return sums.any ? KeepOwnSums().mutate(loops) : loops;
    }
};

}  // namespace

void keep_own_sums(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new KeepSums); }

}  // namespace frisket::codegen
