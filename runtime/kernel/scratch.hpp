// SPDX-License-Identifier: MIT
#pragma once
#include <HalideRuntime.h>

#include <optional>
#include <vector>

#include "../layouts/layout.hpp"
#include "../limits.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "kernel_module.hpp"
#include "parts.hpp"
#include "ready.hpp"

namespace frisket {

/// One dimension of a buffer as a loop sees it, innermost first.
struct LoopDim {
    std::int64_t extent;
    std::int64_t stride;
};

/// Collects what a loop takes (kernel_module.hpp) without allocating once it has been used for a step of
/// this size.
class LoopArguments {
public:
    /// Starts anew; room for `scalars` numbers and `buffers` buffers of `rank` dimensions each.
    void begin(std::size_t scalars, std::size_t buffers, std::size_t rank = 4);
    void add(std::int32_t number) { add(Scalar{.i32 = number}); }
    void add(std::int64_t number) { add(Scalar{.i64 = number}); }
    void add(double number, DType dtype);  ///< of int64: the bits
    void add(const void* data, DType dtype, std::initializer_list<LoopDim> dims);
    void add(const void* data, halide_type_t type, std::span<const LoopDim> dims);
    std::span<const void*> argv() { return argv_.all(); }

private:
    union Scalar {
        std::int32_t i32;
        std::int64_t i64;
        float f32;
        double f64;
    };
    /// Memory that is made before it is filled, so that elements keep their addresses.
    template <class T>
    class Room {
    public:
        void begin(std::size_t most) {
            if (made_.size() < most) made_.resize(most);
            used_ = 0;
        }
        T* add(const T& element) {
            T& place = made_[used_++];
            place = element;
            return &place;
        }
        T* next() { return made_.data() + used_; }
        std::span<T> all() { return {made_.data(), used_}; }

    private:
        std::vector<T> made_;
        std::size_t used_ = 0;
    };
    void add(Scalar scalar) { argv_.add(scalars_.add(scalar)); }

    Room<Scalar> scalars_;
    Room<halide_buffer_t> buffers_;
    Room<halide_dimension_t> dims_;
    Room<const void*> argv_;
};

/// The element type that loops see: bool is uint8, floats of 16 bits are uint16.
halide_type_t loop_type(DType dtype);

/// Whether every element of a tensor is in reach of a loop: its offsets are 32 bits wide.
/// Shape: with elements.
bool is_in_reach(const AnyTensor& tensor);

/// One operand of a flat loop: values and, of a Masked parameter that is not dense, its mask, as bits or as
/// bytes of which bits are made, and what is known of them.
struct FlatOperand {
    const void* values = nullptr;
    const std::uint64_t* words = nullptr;
    const std::uint8_t* bytes = nullptr;
    const MaskCache* pattern = nullptr;
};

/// Memory that a thread keeps between calls, so that a call of ordinary size allocates nothing.
struct Scratch {
    LoopArguments loop;
    std::vector<double> numbers;
    std::vector<std::vector<std::uint64_t>> words;  // bit masks, by parameter
    std::vector<std::vector<std::uint8_t>> bytes;   // byte masks, by parameter
    std::vector<std::vector<std::byte>> values;     // values in the order of a list, by parameter
    std::vector<const void*> listed;                // where such values lie, by parameter
    std::vector<FlatOperand> flat;                  // by parameter
    std::vector<AnyTensor> kept;                    // what a call in progress needs alive
    std::vector<Layout> layouts;                    // of the Masked parameters, in order
    std::vector<std::int32_t> positions;
    std::vector<WordRange> ranges;  // of the domain's mask, where it has bits

    /// Keeps a tensor until the call is over; gives its data.
    const void* keep(AnyTensor tensor) {
        kept.push_back(std::move(tensor));
        return kept.back().data();
    }
    /// Sets the sizes for a kernel; drops big memory of the last one only when asked to grow.
    void fit(const Signature& signature, std::size_t number_count);

    Scratch* next_free = nullptr;  // of those that no call has
};

/// The memory of a call in progress, or of a part of one.  A thread may have several: while one waits for the
/// tasks of its loop, the thread may be given another's.
class FrameLease {
public:
    FrameLease();
    FrameLease(const FrameLease&) = delete;
    FrameLease& operator=(const FrameLease&) = delete;
    /// Lets go of what the call has kept alive, however it ends.
    ~FrameLease();

private:
    struct Frames;
    static Frames& of_thread();
    Frames& frames_;  // of the thread that made it

public:
    Scratch& scratch;
};

/// A call in progress, or a part of one: what came, where it runs, the thread's memory.
struct Call {
    KernelModule& source;
    const Signature& signature;
    std::span<const Argument> arguments;
    const Shape& space;  ///< the shape that the loops walk
    std::int64_t count;  ///< its number of elements, or those of the part
    Scratch& scratch;
    std::int64_t first = 0;    ///< the row-major position at which the part begins, a multiple of 64
    Scratch* spare = nullptr;  ///< for parts that find no memory; null: the thread has some
    std::span<const Parameter> parameters = signature.parameters;

    const Parameter& parameter(int i) const { return parameters[static_cast<std::size_t>(i)]; }
    int parameter_count() const { return static_cast<int>(arguments.size()); }
    /// Layout of a Masked argument; a plain tensor is dense.
    Layout layout(int i) const {
        return arguments[i].kind() == Argument::Kind::masked ? arguments[i].masked().layout() : Layout::dense;
    }
    const AnyTensor& values(int i) const {
        return arguments[i].kind() == Argument::Kind::masked ? arguments[i].masked().values()
                                                             : arguments[i].tensor();
    }
    const Shape& shape(int i) const {
        return arguments[i].kind() == Argument::Kind::masked ? arguments[i].masked().shape()
                                                             : values(i).shape();
    }
    bool is_tensor(int i) const { return frisket::is_tensor(parameter(i).kind); }
    bool is_masked(int i) const { return parameter(i).kind == SymbolKind::masked; }
    bool is_written(int i) const { return parameter(i).kind == SymbolKind::in_out && signature.writes(i); }
    /// Whether a Masked parameter is walked by a list of the domain.
    bool is_listed(int i) const { return is_masked(i) && shares_domain(signature, i); }
    /// What is known of it; `counts` of the domain's mask, which loops walk as if it had this layout.
    DispatchQuery query(Layout layout, const MaskCounts& counts = {}) const {
        return query_of(space, layout, counts);
    }
    /// The same with the loops that were chosen.
    Call with(const Variant& variant) const {
        return {variant.loops != nullptr ? *variant.loops : source,
                signature,
                arguments,
                space,
                count,
                scratch,
                first,
                spare};
    }
    /// Starts the arguments of a loop: the number of elements for flat loops, the numbers of the host, where
    /// the loop begins.
    void begin_loop(std::int64_t first, std::optional<std::int64_t> elements = {}) const {
        begin_loop(scratch.loop, first, elements);
    }
    /// The same in other memory: for loops that run side by side.
    void begin_loop(LoopArguments& loop, std::int64_t first, std::optional<std::int64_t> elements = {}) const;
};

using limits::segment_elements;

/// A call over elements without gaps, the operands in call.scratch.flat: dense, blend, skip or gather, as the
/// counts of the mask say.
class FlatRun {
public:
    /// Refers to the call.
    explicit FlatRun(const Call& call);
    /// Makes the memory that running takes, before the first of several calls writes.
    void reserve();
    /// A call that is alone needs no reserve(): it takes its memory before it writes.
    void run();

private:
    void run_prepared();
    void run_parts();
    bool is_dense() const { return !any_mask_; }
    std::int64_t part_count() const;
    void make_parts();

    const Call& call_;
    bool any_mask_ = false;
    const struct MaskCache* pattern_ = nullptr;  // whose list is walked
    std::optional<Variant> variant_;             // of a call without a look at the mask's parts
    std::optional<Parts> parts_;
    std::optional<FrameLease> own_spare_;
    Scratch* spare_ = nullptr;  // for parts that find no memory
};

/// A call by the coordinates of a COO argument.
class ListedRun {
public:
    /// Nothing if the arguments do not allow that.
    static std::optional<ListedRun> of(const Call& call);
    void reserve() const { call_.begin_loop(0, {}); }
    void run() const;

private:
    explicit ListedRun(const Call& call) : call_(call) {}
    void run_segments() const;

    Call call_;
    IndexView list_;
    std::int64_t extent_ = 0;  // of offsets in call.scratch.positions; 0: the list is walked
};

/// A call by the rows of an argument of layout rows; null if the arguments do not allow that.
std::unique_ptr<Ready> ready_rows(const Call& call);
/// A call of arguments of any strides; flat loops where they turn out to lie without gaps after all.
std::unique_ptr<Ready> ready_any(const Call& call);

/// The list of specified elements as the loop `gather` takes it.
struct PositionList {
    std::span<const std::int32_t> positions;
    std::int64_t first = 0;  ///< the position that 0 stands for
};
/// Runs `gather` over values in call.scratch.listed where they are listed, and over call.scratch.flat, which
/// have `extent` elements from the list's first position on.
void run_gather(const Call& call, const PositionList& list, std::int64_t extent);

}  // namespace frisket
