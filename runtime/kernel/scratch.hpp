// SPDX-License-Identifier: MIT
// Keeps scratch memory of threads between calls.
#pragma once
#include <optional>
#include <vector>

#include "../layouts/layout.hpp"
#include "../limits.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "kernel_module.hpp"
#include "loop_arguments.hpp"
#include "parts.hpp"
#include "ready.hpp"

namespace frisket::kernel_calls {

/// One operand of a flat loop: values and, of a Masked parameter that is not dense, its mask, as bits or as
/// bytes from which bits are computed, and known facts about them.
struct FlatOperand {
    const void* values = nullptr;
    const std::uint64_t* words = nullptr;
    const std::uint8_t* bytes = nullptr;
    const MaskCache* pattern = nullptr;
    const AnyTensor* repeated = nullptr;  ///< a tensor that is broadcast: its values are made for each part
};

/// Memory that a thread keeps between calls, so that a call of ordinary size allocates nothing.
struct Scratch {
    LoopArguments loop;
    std::vector<double> numbers;
    std::vector<std::vector<std::uint64_t>> words;  // bit masks, by parameter
    std::vector<std::vector<std::uint8_t>> bytes;   // byte masks, by parameter
    std::vector<std::vector<std::byte>> values;     // values in the order of a list, by parameter
    std::vector<const void*> listed;                // addresses of such values, by parameter
    std::vector<FlatOperand> flat;                  // by parameter
    std::vector<AnyTensor> kept;                    // tensors that a call in progress keeps alive
    std::vector<Layout> layouts;                    // layouts of the Masked parameters, in order
    std::vector<std::int32_t> positions;
    std::vector<runtime::WordRange> ranges;  // nonzero ranges of the domain's mask, where it has bits

    /// Keeps a tensor until the call is over; returns its address.
    const void* keep(AnyTensor tensor) {
        kept.push_back(std::move(tensor));
        return kept.back().address();
    }
    /// Sets the sizes for a kernel; drops big memory of the last one only when asked to grow.
    void fit(const Signature& signature, std::size_t number_count);

    Scratch* next_free = nullptr;  // next in the list of free scratches
};

/// The memory of a call in progress, or of a part of one.  A thread may have several: while one waits for the
/// tasks of its loop, the thread may be given another's.
class FrameLease {
public:
    FrameLease();
    FrameLease(const FrameLease&) = delete;
    FrameLease& operator=(const FrameLease&) = delete;
    /// Releases tensors that the call has retained, however it ends.
    ~FrameLease();

private:
    struct Frames;
    static Frames& of_thread();
    Frames& frames_;  // frames of the thread that made it

public:
    Scratch& scratch;
};

/// A call in progress, or a part of one: its arguments, where it runs, the thread's memory.
struct Call {
    KernelModule& source;
    const Signature& signature;
    std::span<const Argument> arguments;
    const Shape& space;  ///< the shape that the loops walk
    std::int64_t count;  ///< number of elements of the call or the part
    Scratch& scratch;
    std::int64_t first = 0;    ///< the row-major position at which the part begins, a multiple of 64
    Scratch* spare = nullptr;  ///< for parts that find no memory; null: the thread has some
    Variant chosen = {};       ///< the loop that the call runs of those that its strategy has
    std::span<const Parameter> parameters = signature.parameters;

    const Parameter& parameter(int i) const { return parameters[static_cast<std::size_t>(i)]; }
    int parameter_count() const { return static_cast<int>(arguments.size()); }
    /// Layout of a Masked argument; a plain tensor is dense.
    Layout layout(int i) const { return arguments[i].layout(); }
    /// Layout of the domain; dense without a domain.
    Layout domain_layout() const { return signature.domain < 0 ? Layout::dense : layout(signature.domain); }
    const AnyTensor& values(int i) const { return arguments[i].values(); }
    const Shape& shape(int i) const { return arguments[i].shape(); }
    bool is_tensor(int i) const { return frisket::is_tensor(parameter(i).kind); }
    bool is_masked(int i) const { return parameter(i).kind == SymbolKind::masked; }
    bool is_written(int i) const { return parameter(i).kind == SymbolKind::in_out && signature.writes(i); }
    /// True if a Masked parameter is walked by a list of the domain.
    bool is_listed(int i) const { return is_masked(i) && shares_domain(signature, i); }
    /// The query for this call; `counts` are the counts of the domain's mask, which loops walk as if it had
    /// this layout.
    DispatchQuery query(Layout layout, const MaskCounts& counts = {}) const {
        return query_of(space, layout, counts);
    }
    /// Runs the loop of a strategy: the chosen one, if it is of that strategy.
    void run(Strategy strategy, std::span<const void*> argv) const {
        source.run(chosen.strategy == strategy ? chosen : Variant{strategy}, argv);
    }
    /// The numbers of a loop that begins at an element of the call; `elements`: that it walks, of tiles.
    LoopNumbers numbers(std::int64_t begin, std::int64_t elements = 0) const {
        return {.elements = elements, .host = scratch.numbers.data(), .first = first + begin};
    }
    /// Makes the memory that the arguments of any loop of the call take.
    void reserve(LoopArguments& loop) const {
        constexpr std::size_t others = 7;  // the number of elements, the position, its four steps, the list
        loop.begin(source.number_count() + 2 * arguments.size() + others);
    }
};

using limits::segment_elements;

/// True if the module has a loop for each strategy that a FlatRun may choose; ahead of time, calls of lists
/// and of dense tensors need none.
bool has_flat_loops(const Call& call);

/// True if a tensor is only read, and broadcast: flat loops read a copy that is expanded for each part.
bool can_be_repeated(const Call& call, int i);
/// True if values would be repeated for a mask of bytes most of whose lines have an element: the loop over
/// tensors of any strides reads both in place.  Looks at the middle of the mask.
bool is_read_as_it_lies(const Call& call);

/// A call over elements without gaps, the operands in call.scratch.flat: dense, blend, skip or gather, as the
/// counts of the mask say.
class FlatRun {
public:
    /// Refers to the call.
    explicit FlatRun(Call& call);
    /// Makes the memory that running takes, before the first of several calls writes.
    void reserve();
    /// A single call needs no reserve(): it takes its memory before it writes.
    void run();

private:
    void run_prepared();
    void run_parts();
    void run_part(Call& part) const;
    bool is_dense() const { return !any_mask_; }
    bool is_one_loop() const { return is_dense() && !repeats_; }
    std::int64_t part_count() const;
    void make_parts();

    Call& call_;
    bool any_mask_ = false;
    bool repeats_ = false;                       // an operand is broadcast
    const struct MaskCache* pattern_ = nullptr;  // whose list is walked
    std::optional<Parts> parts_;
    std::optional<FrameLease> own_spare_;
    Scratch* spare_ = nullptr;  // for parts that find no memory
};

/// A call by the positions of a list: coo, or rows of one element.
class ListedRun {
public:
    /// Refers to the call, whose Masked argument of the domain is such a list.
    explicit ListedRun(Call& call) : call_(call) {}
    /// Finds the list; false if the arguments do not allow to walk it.
    bool prepare();
    void reserve() const { call_.reserve(call_.scratch.loop); }
    void run();

private:
    void run_parts();
    void run_segments() const;

    Call& call_;
    runtime::IndexView list_;
    std::int64_t extent_ = 0;           // extent of offsets in call.scratch.positions; 0: the list is walked
    std::vector<LoopArguments> loops_;  // arguments of each part that runs on a thread of its own
};

/// A call, referred to, by the rows of an argument of layout rows; null if the arguments do not allow that.
Ready ready_rows(Call& call);
/// A call, referred to, of arguments of any strides; flat loops if they turn out to be without gaps.
Ready ready_any(Call& call);
/// A call, referred to, whose tensors live on a device, by strided_bits or strided_lists.
Ready ready_by_position(Call& call, Strategy strategy);

/// A call, referred to, whose tensors live on a device; null if its loops do not walk them in place
/// (densify.hpp).
Ready ready_on_device(Call& call);

/// The list of specified elements as the loop `gather` takes it.
struct PositionList {
    std::span<const std::int32_t> positions;
    std::int64_t first = 0;  ///< the position of offset 0
    std::int64_t entry = 0;  ///< the entry of the call's list that is the first here
};
/// Runs `gather` over values in call.scratch.listed where they are listed, and over call.scratch.flat, which
/// have `extent` elements from the list's first position on.  `loop`: memory for the loop's arguments.
void run_gather(const Call& call, const PositionList& list, std::int64_t extent, LoopArguments& loop);
inline void run_gather(const Call& call, const PositionList& list, std::int64_t extent) {
    run_gather(call, list, extent, call.scratch.loop);
}

}  // namespace frisket::kernel_calls
