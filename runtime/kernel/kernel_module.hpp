// SPDX-License-Identifier: MIT
// Defines the interface of modules: compiled loops of a kernel, and the choice among them.
#pragma once
#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../support/fork.hpp"
#include "argument.hpp"
#include "loop_abi.hpp"
#include "signature.hpp"
#include "workload_class.hpp"

namespace frisket::kernel_calls {

class KernelModule;

/// The strategies that calls with these layouts of the Masked parameters may use, whatever the density;
/// arguments that are not contiguous use `strided` besides.  `row_length`: elements of a row, 0 for any;
/// rows of one element are walked as elements.
std::vector<Strategy> strategies_for(const Signature& signature, std::span<const Layout> layouts,
                                     std::int64_t row_length = 0);
/// The strategies that calls with these layouts may use on a device; arguments that are not contiguous use
/// `strided` besides.
std::vector<Strategy> strategies_on_device(const Signature& signature, std::span<const Layout> layouts);
/// The strategies that calls with these layouts take on a device unless a schedule names other strategies.
std::vector<Strategy> default_strategies_on_device(const Signature& signature,
                                                   std::span<const Layout> layouts);
/// The strategy for tensors of a device whose loops walk this layout of the mask, unless a schedule asks for
/// another.
Strategy strategy_on_device(Layout layout);
/// The strategy of a device's loops that find elements of Masked parameters by their positions, for these
/// layouts of all of them; none if these are not all bits, or all lists of elements.
std::optional<Strategy> strategy_by_position(const Signature& signature, std::span<const Layout> layouts);
/// The strategies of strategies_for(), and those that calls use only if a schedule asks for them.
std::vector<Strategy> legal_strategies(const Signature& signature, std::span<const Layout> layouts);

/// Facts about a call from which its loop is chosen.
struct DispatchQuery {
    Layout layout = Layout::dense;  ///< layout of the mask that all updates share, as loops walk it
    std::int64_t elements = 0;      ///< elements of the space that the loops walk
    std::int64_t row_length = 1;    ///< elements of a row: the product of the extents but the first
    MaskCounts counts = {};  ///< mask statistics; lists: only `specified`, which counts rows for layout rows
    bool of_several_masks = false;  ///< updates have different masks, and `counts` is empty
};

inline DispatchQuery query_of(std::span<const std::int64_t> space, Layout layout, const MaskCounts& counts) {
    const std::int64_t elements = element_count(space);
    return {layout, elements, elements == 0 || space.empty() ? 1 : elements / space[0], counts};
}

/// The query of a step whose updates have several masks, for calls in which not all of them are dense.
inline DispatchQuery query_of_several_masks(std::span<const std::int64_t> space) {
    DispatchQuery query = query_of(space, Layout::bitmask, {});
    query.of_several_masks = true;
    return query;
}

/// A compiled loop of a module.
struct Variant {
    Strategy strategy = Strategy::dense;
    int tuned = -1;  ///< number of the module's tuned loop; -1: the strategy's own
    bool is_tuned() const { return tuned >= 0; }
    /// The index of its loop among the loops of all strategies; tuned loops come after them.
    std::size_t place() const {
        return is_tuned() ? strategy_count + tuned : static_cast<std::size_t>(strategy);
    }
};

/// The fastest loop that tuning found for calls of a class.
struct TunedVariant {
    WorkloadClass call;
    std::optional<Strategy> strategy;  ///< none: the default is the fastest
};

/// Facts about a module besides its loops.
struct ModuleFacts {
    Signature signature;
    LoopAbis abis;
    std::size_t number_count = 0;  ///< doubles that `evaluate` writes: numbers of loops, then its own
    Device device = {};
    /// Writes the numbers of a call; empty: it has none.
    std::function<void(std::span<const Argument> arguments, double* numbers)> evaluate = {};
    /// Gives the ScalarState arguments the new values that `evaluate` left in `numbers`; empty: there are
    /// none.
    std::function<void(std::span<const Argument> arguments, const double* numbers)> store_states = {};
    /// Strategies of which the module has a loop, or can make one.
    std::bitset<strategy_count> strategies = std::bitset<strategy_count>().set();
    std::vector<TunedVariant> tuned = {};  ///< by Variant::tuned
    bool knows_small_calls = false;
    bool may_walk_bytes = false;

    /// Takes the results of tuning.
    void take(std::vector<TunedVariant> found);
};

/// Source of a kernel's loops: compiled when first called (JIT), or linked in (ahead of time).
class KernelModule {
public:
    explicit KernelModule(ModuleFacts facts) : facts_(std::move(facts)) {}
    KernelModule(const KernelModule&) = delete;
    KernelModule& operator=(const KernelModule&) = delete;
    virtual ~KernelModule() = default;

    /// A number that no other module of the process has or had; never 0.
    std::uint64_t number() const noexcept { return number_; }
    const Signature& signature() const noexcept { return facts_.signature; }
    /// The parameters of a strategy's loop.
    const LoopAbi& abi(Strategy strategy) const noexcept { return facts_.abis[strategy]; }
    std::size_t number_count() const noexcept { return facts_.number_count; }
    /// The device or processor where loops run, and where the tensors of calls live.
    const Device& device() const noexcept { return facts_.device; }
    /// True if the module has a loop of this strategy, or can make one.
    bool has(Strategy strategy) const noexcept {
        return facts_.strategies[static_cast<std::size_t>(strategy)];
    }
    /// True if `choose` knows more than the cost model even for calls so small that it is not worth counting
    /// their mask.
    bool knows_small_calls() const noexcept { return facts_.knows_small_calls; }
    /// True if it may choose `bytes`, for which masks must not be made into bits first.
    bool may_walk_bytes() const noexcept { return facts_.may_walk_bytes; }
    /// The kernel for tensors of a device, the processor's too.  Errors: TargetError if it has no loops
    /// there.
    KernelModule& on(const Device& device);

    void evaluate(std::span<const Argument> arguments, double* numbers) const {
        if (facts_.evaluate) facts_.evaluate(arguments, numbers);
    }
    void store_states(std::span<const Argument> arguments, const double* numbers) const {
        if (facts_.store_states) facts_.store_states(arguments, numbers);
    }
    /// Begins a call with these layouts of its Masked parameters, with rows of `row_length` elements:
    /// compiles all of their strategies that are missing.
    /// Errors: LayoutError listing the layouts that the kernel has loops for.
    virtual void specialize(std::span<const Layout> layouts, std::int64_t row_length) {
        compile_variants(strategies_for(signature(), layouts, row_length));
    }
    /// Makes sure that the loops of these strategies exist.
    virtual void compile_variants(std::span<const Strategy> /*wanted*/) {}
    /// The loop for a call whose layouts were encountered before: the nearest that was tuned, or by the cost
    /// model.
    /// Errors: ScheduleError if the only loop cannot walk the query's layout.
    virtual Variant choose(const DispatchQuery& query);
    /// The kernel's step for calls whose Masked arguments all specify the same elements, so that one list
    /// serves them; null if the kernel has no such step.
    virtual KernelModule* of_equal_masks() { return nullptr; }
    /// Runs one loop with the parameters that abi() lists.  Errors: Error with the compiler's message if the
    /// loop fails.
    /// Threads: several may run loops at once.
    virtual void run(const Variant& variant, std::span<const void*> argv) = 0;
    /// Runs task(closure, i) for i in [0, tasks) on the threads that run the loops.
    virtual void parallel_for(int tasks, void (*task)(void* closure, int i), void* closure) const;

protected:
    /// Facts, which must not change once calls have been chosen by them.
    ModuleFacts& facts() noexcept { return facts_; }
    static const ModuleFacts& facts_of(const KernelModule& other) noexcept { return other.facts_; }
    /// Makes the kernel for tensors of another device.
    virtual std::shared_ptr<KernelModule> made_on(const Device& device);

private:
    static std::uint64_t next_number() noexcept {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }
    const std::uint64_t number_ = next_number();
    ModuleFacts facts_;
    runtime::Mutex elsewhere_mutex_;
    std::vector<std::shared_ptr<KernelModule>> elsewhere_;  // kernels for devices, once calls use these
};

/// Refuses tensors that live on another device than loops.
[[noreturn]] void refuse_device(std::string_view what, const Device& of_tensors, const Device& of_loops);

/// parallel_for with a callable.
template <class Body>
void parallel_for(const KernelModule& source, int tasks, Body&& body) {
    source.parallel_for(
        tasks, [](void* closure, int i) { (*static_cast<std::remove_reference_t<Body>*>(closure))(i); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

/// True if a Masked parameter has the mask of the domain: it is the domain, or a check found both equal.
bool shares_domain(const Signature& signature, int parameter);

}  // namespace frisket::kernel_calls
