// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device_schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "../loops/built_loops.hpp"
#include "device_tiles.hpp"

/// Schedules for devices.  They change no bit: only the definitions of Funcs decide which terms are added,
/// and in which order.
namespace frisket::codegen {

namespace {

namespace hl = Halide::Internal;
using namespace Halide::Internal;
using Halide::Func;
using Halide::LoopLevel;
using Halide::Var;

constexpr const char *block_name = "block_", *thread_name = "thread_";

/// The names of a Func's variables that a definition is made at for each of their values, innermost first.
std::vector<Var> pure_variables(const hl::Function& func, const hl::Definition& definition) {
    std::vector<Var> found;
    for (std::size_t i = 0; i < func.args().size(); ++i) {
        const auto* const at = definition.args()[i].as<hl::Variable>();
        if (at != nullptr && at->name == func.args()[i] && !at->reduction_domain.defined())
            found.emplace_back(at->name);
    }
    return found;
}

/// The loops that a definition has before anything is scheduled.
void reset_loops(const hl::Function& func, hl::Definition& definition) {
    const auto loop = [](const std::string& name, DimType type) {
        return Dim{name, ForType::Serial, Halide::DeviceAPI::None, type, Halide::Partition::Auto};
    };
    StageSchedule& stage = definition.schedule();
    std::vector<Dim> loops;
    for (const ReductionVariable& term : stage.rvars()) loops.push_back(loop(term.var, DimType::ImpureRVar));
    for (const Var& variable : pure_variables(func, definition))
        loops.push_back(loop(variable.name(), DimType::PureVar));
    loops.push_back(loop(Var::outermost().name(), DimType::PureVar));
    stage.dims() = std::move(loops);
    stage.splits().clear();
    stage.touched() = false;
}

/// Says that a Func has no memory.
void inline_it(hl::Function& func) {
    const LoopLevel level = LoopLevel::inlined();
    func.schedule().compute_level() = level;
    func.schedule().store_level() = level;
    func.schedule().hoist_storage_level() = level;
}

/// Takes a schedule away; tells if the Func had memory of its own.
bool reset(hl::Function& func) {
    FuncSchedule& schedule = func.schedule();
    const bool had_memory = !schedule.compute_level().lock().is_inlined();
    inline_it(func);
    schedule.memory_type() = Halide::MemoryType::Auto;
    // Extents without a beginning belong to parts that another schedule computes at once.
    std::erase_if(schedule.bounds(), [](const Bound& bound) { return !bound.min.defined(); });
    if (!had_memory) schedule.bounds().clear();
    reset_loops(func, func.definition());
    for (std::size_t i = 0; i < func.updates().size(); ++i)
        reset_loops(func, func.update(static_cast<int>(i)));
    return had_memory;
}

/// True for a dimension of one element of an output.
bool is_one(const hl::Function& func, std::size_t dimension) {
    const auto& outputs = func.output_buffers();
    return !outputs.empty() && is_const_one(outputs[0].extent_constraint(static_cast<int>(dimension)));
}

/// The names of a Func's variables, without the variables of an output's dimensions of one element.
std::vector<std::string> long_variables(const hl::Function& func) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < func.args().size(); ++i)
        if (!is_one(func, i)) found.push_back(func.args()[i]);
    return found;
}

/// Reads of Funcs in the definitions of one of them.
class FuncReads final : public IRGraphVisitor {
public:
    explicit FuncReads(const hl::Function& reader) : reader_(reader) { reader.accept(this); }
    /// Names of the Funcs that it reads; true if it reads them only at its own index.
    std::map<std::string, bool> all;

private:
    using IRGraphVisitor::visit;
    void visit(const Call* call) override {
        IRGraphVisitor::visit(call);
        if (call->call_type != Call::Halide) return;
        bool& all_here = all.try_emplace(call->name, true).first->second;
        all_here = all_here && is_here(call->args);
    }
    /// Shape: a Func may lack the dimensions that have one element.
    bool is_here(const std::vector<Halide::Expr>& indices) const {
        const std::vector<std::string>& own = reader_.args();
        const bool has_all = indices.size() == own.size();
        std::size_t next = 0;
        for (std::size_t i = 0; i < own.size(); ++i) {
            const bool may_be_0 = is_one(reader_, i);
            if (may_be_0 && !has_all) continue;
            if (next == indices.size()) return false;
            const Halide::Expr index = simplify(indices[next++]);
            const auto* const at = index.as<hl::Variable>();
            const bool is_own = at != nullptr && at->name == own[i];
            if (!is_own && !(may_be_0 && is_const_zero(index))) return false;
        }
        return next == indices.size();
    }
    const hl::Function& reader_;
};

/// True if each element of a Func is computed from its elements at no other index: a thread can keep it.
bool is_kept_by_threads(const hl::Function& func) {
    for (const hl::Definition& update : func.updates())
        if (pure_variables(func, update).size() != func.args().size()) return false;
    const FuncReads reads(func);
    const auto own = reads.all.find(func.name());
    return own == reads.all.end() || own->second;
}

/// A thread for each element; returns the loop over the threads of a block.
template <class Stage>
Var schedule_threads(Stage&& stage, const std::vector<Var>& variables, int threads = block_threads) {
    const Var block(block_name), thread(thread_name);
    if (variables.empty()) {
        stage.gpu_single_thread();
        return Var::outermost();
    }
    const Var all = fuse_loops(stage, variables, "elements_");
    stage.gpu_tile(all, block, thread, threads, Halide::TailStrategy::GuardWithIf);
    return thread;
}

/// A thread for each term, of which no two go to one element.
void schedule_terms(Halide::Stage stage, const hl::Definition& update) {
    const Halide::RVar block(block_name), thread(thread_name);
    Halide::RVar all(update.schedule().rvars()[0].var);
    for (std::size_t i = 1; i < update.schedule().rvars().size(); ++i) {
        const Halide::RVar both("terms_" + std::to_string(i) + "_");
        stage.fuse(all, Halide::RVar(update.schedule().rvars()[i].var), both);
        all = both;
    }
    stage.gpu_tile(all, block, thread, block_threads, Halide::TailStrategy::GuardWithIf);
}

void schedule_whole(Func func) {
    const hl::Function& function = func.function();
    func.compute_root();
    schedule_threads(func, pure_variables(function, function.definition()));
    for (int i = 0; i < func.num_update_definitions(); ++i) {
        const hl::Definition& update = function.update(i);
        if (update.schedule().allow_race_conditions())
            schedule_terms(func.update(i), update);
        else
            schedule_threads(func.update(i), pure_variables(function, update));
    }
}

/// All loop nests of a Func become one kernel, whose threads keep the values until they are final.
void schedule_kept(Func func) {
    Func whole = func.in();
    hl::Function from = func.function(), to = whole.function();
    for (std::size_t i = 0; i < to.args().size(); ++i)
        for (Bound bound : from.schedule().bounds())
            if (bound.var == from.args()[i]) {
                bound.var = to.args()[i];
                to.schedule().bounds().push_back(bound);
            }
    from.schedule().bounds().clear();
    whole.compute_root();
    std::vector<Var> variables;
    for (const std::string& name : to.args()) variables.emplace_back(name);
    func.compute_at(whole, schedule_threads(whole, variables));
}

/// The Funcs of a pipeline, and which have kernels of their own.
class Funcs {
public:
    explicit Funcs(const std::vector<Func>& outputs) {
        std::vector<hl::Function> results;
        for (const Func& output : outputs) {
            results.push_back(output.function());
            outputs_.insert(output.name());
        }
        all_ = called_funcs_in_order_found(results);
        for (hl::Function& func : all_)
            if (reset(func) || outputs_.contains(func.name())) stored_.insert(func.name());
        for (const hl::Function& func : all_) {
            by_name_.emplace(func.name(), func);
            for (const auto& [name, is_here] : FuncReads(func).all)
                if (name != func.name()) readers_[name].push_back({func.name(), is_here});
        }
    }

    void schedule() {
        for (const hl::Function& func : all_)
            if (std::string_view(func.name()).starts_with(tile_sums_name)) find_tile(func);
        for (const hl::Function& func : all_)
            if (const std::string kernel = kernel_of_lanes(func); !kernel.empty()) {
                lanes_.emplace(func.name(), kernel);
                of_lanes_.insert(kernel);
            }
        for (hl::Function& func : all_) {
            if (!stored_.contains(func.name()) || of_tiles_.contains(func.name())) continue;
            if (const auto tile = tiles_.find(func.name()); tile != tiles_.end()) {
                schedule_tiles(Func(func), tile->second.row, tile->second.funcs);
                continue;
            }
            const std::string kernel = kernel_of(func);
            if (const auto own = lanes_.find(func.name()); own != lanes_.end()) {
                schedule_lanes(Func(func), Func(by_name_.at(own->second)));
                continue;
            }
            if (of_lanes_.contains(func.name())) {
                schedule_threads(Func(func).compute_root(), pure_variables(func, func.definition()), 1);
                continue;
            }
            const bool is_kept =
                !func.args().empty() && func.has_update_definition() && is_kept_by_threads(func);
            if (kernel == func.name())
                is_kept && !outputs_.contains(kernel) ? schedule_kept(Func(func))
                                                      : schedule_whole(Func(func));
            else
                compute_within(func, by_name_.at(kernel));
        }
    }

private:
    struct Reader {
        std::string name;
        bool is_here = false;
    };

    /// The Func in whose kernel one is computed: its own, or its only reader's, element by element.
    std::string kernel_of(const hl::Function& func) const {
        const auto readers = readers_.find(func.name());
        if (outputs_.contains(func.name()) || apart_.contains(func.name()) || readers == readers_.end() ||
            readers->second.size() != 1)
            return func.name();
        const auto& [name, is_here] = readers->second[0];
        const hl::Function& reader = by_name_.at(name);
        // A single number has no loop of threads around it.
        const bool can_be_within =
            !func.has_update_definition() || (is_kept_by_threads(func) && !reader.args().empty());
        const bool has_place = stored_.contains(name) && !reader.has_update_definition();
        return is_here && can_be_within && has_place ? kernel_of(reader) : func.name();
    }

    /// Finds the other Funcs of a product by tiles, and the kernel whose loops its tiles become.
    void find_tile(const hl::Function& sums) {
        Tile tile;
        tile.funcs.sums = Func(sums);
        for (const auto& [name, is_here] : FuncReads(sums).all) {
            if (std::string_view(name).starts_with(tile_rows_name)) tile.funcs.rows = Func(by_name_.at(name));
            if (std::string_view(name).starts_with(tile_columns_name))
                tile.funcs.columns = Func(by_name_.at(name));
        }
        of_tiles_.insert({sums.name(), tile.funcs.rows.name(), tile.funcs.columns.name()});
        std::string read = sums.name(), reader = readers_.at(read).front().name;
        if (std::string_view(reader).starts_with(tile_total_name)) {
            tile.funcs.total = Func(by_name_.at(reader));
            tile.funcs.has_total = true;
            of_tiles_.insert(reader);
            read = reader;
            reader = readers_.at(read).front().name;
        }
        tile.row = row_of(by_name_.at(reader), read);
        const std::string kernel = kernel_of(by_name_.at(reader));
        if (is_alone_in(kernel, by_name_.at(reader))) {
            reader = kernel;
        } else {
            apart_.insert(reader);
        }
        tiles_.emplace(reader, std::move(tile));
    }

    /// The dimension of a Func along which the rows of a product run that it reads.
    static int row_of(const hl::Function& reader, const std::string& product) {
        class FindRow final : public IRGraphVisitor {
        public:
            FindRow(const hl::Function& reader, const std::string& product)
                : reader_(reader), product_(product) {}
            int row = 1;

        private:
            using IRGraphVisitor::visit;
            void visit(const Call* call) override {
                IRGraphVisitor::visit(call);
                if (call->name != product_) return;
                for (std::size_t i = 0; i < reader_.args().size(); ++i)
                    if (expr_uses_var(call->args[1], reader_.args()[i])) row = static_cast<int>(i);
            }
            const hl::Function& reader_;
            const std::string& product_;
        } found(reader, product);
        reader.accept(&found);
        return found.row;
    }

    /// True if a kernel, except for its reads of a product by tiles, has no loops but its threads' loops.
    bool is_alone_in(const std::string& kernel, const hl::Function& reader) const {
        const hl::Function& whole = by_name_.at(kernel);
        if (whole.args().size() != reader.args().size() || whole.has_update_definition() ||
            tiles_.contains(kernel))
            return false;
        return std::ranges::none_of(all_, [&](const hl::Function& func) {
            return stored_.contains(func.name()) && !of_tiles_.contains(func.name()) &&
                   func.name() != kernel &&
                   (kernel_of_lanes(func) == kernel ||
                    (func.has_update_definition() && kernel_of(func) == kernel));
        });
    }

    /// The kernel in which lanes become one value, with a block of threads for each; nothing: no such kernel.
    std::string kernel_of_lanes(const hl::Function& func) const {
        if (!std::string_view(func.name()).starts_with(lanes_name) || !stored_.contains(func.name()))
            return {};
        std::string reader = func.name();
        do {
            const auto readers = readers_.find(reader);
            if (readers == readers_.end() || readers->second.size() != 1) return {};
            reader = readers->second[0].name;
        } while (!stored_.contains(reader));
        const hl::Function& kernel = by_name_.at(kernel_of(by_name_.at(reader)));
        const bool has_row =
            !kernel.args().empty() && long_variables(kernel).size() + 1 == func.args().size();
        return has_row && !kernel.has_update_definition() ? kernel.name() : std::string();
    }

    static void schedule_lanes(Func lanes, const Func& kernel) {
        lanes.compute_at(kernel, Var(block_name)).store_in(Halide::MemoryType::GPUShared);
        lanes.gpu_threads(lanes.args()[0]);
    }

    void compute_within(hl::Function& func, const hl::Function& kernel) const {
        func.schedule().bounds().clear();
        if (!func.has_update_definition()) return;
        const Var thread = lanes_.contains(kernel.name()) ? Var(kernel.args()[0]) : Var(thread_name);
        Func(func).compute_at(Func(kernel), thread);
    }

    std::vector<hl::Function> all_;
    std::map<std::string, hl::Function> by_name_;
    std::map<std::string, std::vector<Reader>> readers_;
    std::set<std::string> outputs_, stored_;
    std::map<std::string, std::string> lanes_;  // kernels of lanes
    std::set<std::string> of_lanes_;            // those kernels
    struct Tile {
        DeviceTile funcs;
        int row = 1;
    };
    std::map<std::string, Tile> tiles_;  // kernels of products by tiles
    std::set<std::string> of_tiles_;     // their reads of these
    std::set<std::string> apart_;        // Funcs with a kernel of their own
};

}  // namespace

void schedule_for_device(const std::vector<Func>& outputs) { Funcs(outputs).schedule(); }

}  // namespace frisket::codegen
