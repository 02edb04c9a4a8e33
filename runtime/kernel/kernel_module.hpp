// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "argument.hpp"
#include "loop_abi.hpp"
#include "signature.hpp"

namespace frisket::kernel_calls {

class KernelModule;

/// The strategies that calls with these layouts of the Masked parameters may use, whatever the density;
/// arguments that are not contiguous use `strided` besides.
std::vector<Strategy> strategies_for(const Signature& signature, std::span<const Layout> layouts);
/// The strategies that calls with these layouts may use on a device; arguments that are not contiguous use
/// `strided` besides.
std::vector<Strategy> strategies_on_device(const Signature& signature, std::span<const Layout> layouts);
/// The strategies that calls with these layouts take on a device unless a schedule asks for others.
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
};

/// Source of a kernel's loops: compiled when first met (JIT), or linked in (ahead of time).
class KernelModule {
public:
    /// Loops of the processor, or of a device.
    explicit KernelModule(const Device& device = {}) : device_(device) {}
    KernelModule(const KernelModule&) = delete;
    KernelModule& operator=(const KernelModule&) = delete;
    virtual ~KernelModule() = default;

    /// A number that no other module of the process has or had; never 0.
    std::uint64_t number() const noexcept { return number_; }

    virtual const Signature& signature() const noexcept = 0;

    /// The parameters of a strategy's loop.
    virtual const LoopAbi& abi(Strategy strategy) const noexcept = 0;
    /// Number of doubles that `evaluate` writes: the numbers that loops take first, then what it needs
    /// itself.
    virtual std::size_t number_count() const noexcept = 0;
    virtual void evaluate(std::span<const Argument> arguments, double* numbers) const = 0;
    /// Gives the ScalarState arguments the new values that `evaluate` left in `numbers`.
    virtual void store_states(std::span<const Argument> arguments, const double* numbers) const = 0;

    /// Checks that the kernel has loops for these layouts of its Masked parameters.  Errors: LayoutError
    /// listing the layouts that it has.
    virtual void check_layouts(std::span<const Layout> layouts) const = 0;
    /// True if the module has a loop of this strategy, or can make one.
    virtual bool has(Strategy) const noexcept { return true; }
    /// Begins a call: `check_layouts`, then compiles all strategies of these layouts that are missing.
    virtual void specialize(std::span<const Layout> layouts) {
        check_layouts(layouts);
        compile_variants(strategies_for(signature(), layouts));
    }
    /// Makes sure that the loops of these strategies exist.
    virtual void compile_variants(std::span<const Strategy> wanted) = 0;
    /// The loop for a call whose layouts were met: by the cost model, unless something better is known.
    /// Errors: ScheduleError if there is one loop alone, and it cannot walk the query's layout.
    virtual Variant choose(const DispatchQuery& query) const;
    /// True if `choose` knows more than the cost model even for calls so small that it is not worth counting
    /// their mask.
    virtual bool knows_small_calls() const noexcept { return false; }
    /// True if it may choose `bytes`, for which masks must not be made into bits first.
    virtual bool may_walk_bytes() const noexcept { return false; }
    /// The place where loops run, and where the tensors of calls live.
    const Device& device() const noexcept { return device_; }
    /// The kernel for tensors of a device, the processor's too.  Errors: TargetError if it has no loops
    /// there.
    virtual KernelModule& on(const Device& device);
    /// The kernel's step for calls whose Masked arguments all specify the same elements, so that one list
    /// serves them; null if there is none.
    virtual KernelModule* of_equal_masks() { return nullptr; }
    /// Runs one loop with what abi() says.  Errors: Error with the compiler's message if the loop fails.
    /// Threads: several may run loops at once.
    virtual void run(const Variant& variant, std::span<const void*> argv) = 0;

    /// Runs task(closure, i) for i in [0, tasks) on the threads that run the loops.
    virtual void parallel_for(int tasks, void (*task)(void* closure, int i), void* closure) const = 0;

private:
    static std::uint64_t next_number() noexcept {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }
    const std::uint64_t number_ = next_number();
    const Device device_;
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
