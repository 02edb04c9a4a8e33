// SPDX-License-Identifier: MIT
// Defines masked tensors and their layouts.
#pragma once
#include <concepts>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "index_list.hpp"
#include "tensor.hpp"

namespace frisket {

/// Storage formats of masked tensors.  The layout changes the loop, never the result.
enum class Layout : std::uint8_t {
    dense,     ///< values, every element specified
    strided,   ///< values and a byte mask of the same shape
    bitmask,   ///< values and one bit an element, in 64-bit words, row-major
    coo,       ///< positions of the specified elements and their values; duplicates add
    rows,      ///< numbers of the specified rows (dimension 0) and their values; duplicates add
    csr,       ///< matrices: row pointers, columns and values of the specified elements
    csc,       ///< matrices: column pointers, rows and values of the specified elements
    bsr,       ///< matrices: as csr, of blocks with a mask of their own
    bsc,       ///< matrices: as csc, of blocks with a mask of their own
    two_four,  ///< matrices: two slots for each row and four columns, with a mask of their own
};

/// Extents of a block of layouts bsr and bsc.
struct Blocksize {
    std::int64_t rows = 1, columns = 1;
    bool operator==(const Blocksize&) const = default;
};

/// Index of the stored entries of csr, csc, bsr, bsc and two_four: an entry is an element, or a block.
struct CompressedIndex {
    /// Line i owns the entries pointers[i] … pointers[i + 1] - 1.  Lines are the rows (csr), columns (csc),
    /// rows of blocks (bsr) or columns of blocks (bsc); there is one pointer more.  two_four: empty.
    std::vector<std::int64_t> pointers;
    /// Index of each entry, ascending in a line: its column (csr), row (csc), column of blocks (bsr) or row
    /// of blocks (bsc).  two_four: the column of each entry in its group of four columns, 0 to 3; entries 2 g
    /// and 2 g + 1 belong to group g, row-major.
    std::vector<std::int64_t> indices;
    Blocksize blocksize;  ///< {1, 1} but in bsr and bsc
    /// Internal: structures computed from the index, to be found again.
    runtime::KeptStructures kept = {};
    bool operator==(const CompressedIndex&) const = default;
};

/// The name of a layout as users write it, "coo".
std::string_view name_of(Layout layout);
/// The layout of a name.  Errors: LayoutError listing the names.
Layout parse_layout(std::string_view name);
/// Every layout, in the order of the enumeration.
std::span<const Layout> all_layouts();

namespace kernel_calls {
struct MaskCache;  // dispatch/mask_cache.hpp
}
namespace runtime {
struct Compression;  // layouts/compressed.hpp
}

/// A masked tensor of any dtype: values and a mask of specified elements, in one of several layouts.
/// A handle: copies share; clone() copies.  One that was moved from is as a tensor that was.
/// Unspecified: values at elements that are not specified may hold anything and are never observable.
class AnyMasked {
public:
    /// An empty masked tensor.
    AnyMasked() noexcept = default;
    /// A handle to the memory of another.
    AnyMasked(const AnyMasked&) = default;
    /// All or nothing, as of a tensor.
    AnyMasked& operator=(const AnyMasked& other) { return *this = AnyMasked(other); }
    AnyMasked(AnyMasked&& from) noexcept
        : layout_(std::exchange(from.layout_, Layout::dense)),
          holding_(std::exchange(from.holding_, detail::Holding::moved)),
          shape_(std::move(from.shape_)),
          size_(std::exchange(from.size_, 0)),
          values_(std::move(from.values_)),
          mask_(std::move(from.mask_)),
          places_(std::move(from.places_)),
          index_(std::move(from.index_)),
          compressed_(std::move(from.compressed_)),
          pattern_(std::move(from.pattern_)),
          found_(std::move(from.found_)) {}
    AnyMasked& operator=(AnyMasked&& from) noexcept;
    ~AnyMasked() = default;

    /// Element type of the values.
    DType dtype() const noexcept { return values_.dtype(); }
    /// Extents, outermost first.
    const Shape& shape() const noexcept {
        return holding_ == detail::Holding::memory ? shape_ : detail::empty_shape();
    }
    /// Number of dimensions.
    int rank() const noexcept { return static_cast<int>(shape().size()); }
    std::int64_t size() const noexcept { return size_; }  ///< number of elements, specified or not
    /// Form of storage.
    Layout layout() const noexcept { return layout_; }

    /// dense, strided, bitmask: the tensor's shape; coo, csr, csc: [stored]; rows: [stored, trailing
    /// dimensions…]; bsr, bsc: [stored, block's rows, block's columns]; two_four: [rows, columns / 2].
    const AnyTensor& values() const noexcept { return values_; }
    /// strided: bool of the tensor's shape, any strides; bitmask: int64 words, bit i % 64 of word i / 64 is
    /// element i row-major, bits past the end are ignored; bsr, bsc, two_four: bool of the values' shape,
    /// whether each is specified; other layouts: empty.
    const AnyTensor& mask() const noexcept { return mask_; }
    /// coo: row-major positions; rows: row numbers; in the order given.  Other layouts, and lists that were
    /// made on a device: null.
    const std::shared_ptr<const IndexList>& index() const noexcept { return index_; }
    /// csr, csc, bsr, bsc, two_four: index of the entries, in canonical order.  Other layouts, and lists that
    /// were made on a device: null.
    const std::shared_ptr<const CompressedIndex>& compressed_index() const noexcept { return compressed_; }

    /// The device or processor that stores its values and mask.
    Device device() const noexcept { return values_.device(); }

    /// True until the next assignment.
    bool was_moved_from() const noexcept { return holding_ == detail::Holding::moved; }
    /// Check for functions that take a masked tensor.  Errors: ValueError naming `where` if it was moved
    /// from.
    void check_not_moved(std::string_view where) const {
        if (was_moved_from()) detail::refuse_moved_from(where, "masked tensor");
    }

    /// Refused, with the expression to write instead: dsl/diagnose.hpp.
    template <SomeExpression E>
    AnyMasked(const E& expression);

    /// Internal, on a device: int32, for each stored entry its row-major position, of layout rows its row, in
    /// the order of the values.  Elsewhere, and for layouts of whole tensors, empty.
    const AnyTensor& places() const noexcept { return places_; }
    /// Internal: the same mask on the processor, with values that hold anything.
    AnyMasked mask_on_processor() const;
    /// Internal: the results of a kernel's prepare(); null without.
    const kernel_calls::MaskCache* pattern() const noexcept { return pattern_.get(); }

    /// Number of specified elements (duplicates counted once).  Cost: linear in the stored elements.
    std::int64_t specified_count() const;
    /// A deep copy.
    AnyMasked clone() const;
    /// Converts to `layout`, canonically: only specified elements, sorted, each once; on a device, if it is
    /// there.  The blocks of bsr and
    /// bsc have `blocksize`; without it the size of this tensor's blocks, or the largest of 4, 2 and 1 that
    /// divides each extent.
    /// Errors: LayoutError if the layout cannot hold it (rows: a row that is specified in part; dense:
    /// anything unspecified; two_four: more than two of four; layouts of matrices: another rank, or blocks
    /// that do not divide the shape).  Cost: linear in the stored elements of both layouts.
    AnyMasked to(Layout layout, std::optional<Blocksize> blocksize = {}) const;
    /// Its elements on another device, coalesced, or back on the processor; the same memory if it is there
    /// already.  Lists of indices that came from the processor stay there too.
    /// Errors: as a tensor's; ShapeError if positions do not fit 32 bits.
    AnyMasked to(const Device& device) const;
    /// Sorted, duplicates summed in (index, position) order.  Layouts without duplicates give themselves.
    AnyMasked coalesce() const;
    /// A dense tensor with `fill` (converted to the dtype) where nothing is specified.
    AnyTensor to_dense(double fill) const;
    /// A dense bool tensor: true where specified.
    Tensor<bool> mask_tensor() const;

    /// A tensor with every element specified; shares its memory.
    static AnyMasked dense(AnyTensor values);
    /// Errors: ShapeError if the mask does not broadcast to the values, DTypeError if it is not bool.
    static AnyMasked strided(AnyTensor values, AnyTensor mask);
    /// Errors: LayoutError if there are too few words.
    static AnyMasked bitmask(AnyTensor values, AnyTensor words);
    /// Entries that `values_mask` (bool, of the values' shape; none: all true) leaves out are not stored; a
    /// values_mask of another dtype is a DTypeError: both in all that follow.
    /// Errors: LayoutError if lists differ in length or their number is not the rank, or naming the first
    /// index that is out of range.
    static AnyMasked coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices, AnyTensor values,
                         std::optional<AnyTensor> values_mask = {});
    /// Layout coo from a tensor of indices, int32 or int64, [rank, stored], and the values.  On a device
    /// these are sorted and duplicates summed there, and only the number of entries comes to the processor.
    /// Errors: as above; DTypeError, ShapeError of the indices; TargetError if they are elsewhere.
    template <std::derived_from<AnyTensor> Indices>
    static AnyMasked coo(Shape shape, const Indices& indices, AnyTensor values) {
        return coo_of_tensor(std::move(shape), indices, std::move(values));
    }
    /// Errors: LayoutError if the shape has rank 0, values do not have shape [stored, trailing…], or a row
    /// number is out of range.
    static AnyMasked rows(Shape shape, const std::vector<std::int64_t>& row_numbers, AnyTensor values);
    /// Layout rows from a tensor of row numbers, int32 or int64, [stored]; else as coo of such a tensor.
    template <std::derived_from<AnyTensor> Indices>
    static AnyMasked rows(Shape shape, const Indices& row_numbers, AnyTensor values) {
        return rows_of_tensor(std::move(shape), row_numbers, std::move(values));
    }
    /// Values of shape [stored].
    /// Errors: LayoutError naming the first pointer or index that breaks a rule of CompressedIndex.
    static AnyMasked csr(Shape shape, std::vector<std::int64_t> row_pointers,
                         std::vector<std::int64_t> columns, AnyTensor values,
                         std::optional<AnyTensor> values_mask = {});
    /// Values of shape [stored]. Errors: as csr.
    static AnyMasked csc(Shape shape, std::vector<std::int64_t> column_pointers,
                         std::vector<std::int64_t> rows, AnyTensor values,
                         std::optional<AnyTensor> values_mask = {});
    /// Blocks one after another, each row-major: values of shape [stored, block's rows, block's columns], or
    /// flat.
    /// Errors: as csr; LayoutError if the blocks do not divide the shape.
    static AnyMasked bsr(Shape shape, Blocksize blocksize, std::vector<std::int64_t> row_pointers,
                         std::vector<std::int64_t> columns, AnyTensor values,
                         std::optional<AnyTensor> values_mask = {});
    /// Blocks one after another, as bsr's, by columns of blocks.  Errors: as bsr.
    static AnyMasked bsc(Shape shape, Blocksize blocksize, std::vector<std::int64_t> column_pointers,
                         std::vector<std::int64_t> rows, AnyTensor values,
                         std::optional<AnyTensor> values_mask = {});
    /// Two slots for each row and group of four columns, row-major: values of shape [rows, columns / 2], or
    /// flat.
    /// Errors: LayoutError if the columns do not divide by 4, or naming the first slot that is not 0 to 3 and
    /// past the one before it in its group.
    static AnyMasked two_four(Shape shape, std::vector<std::int64_t> slots, AnyTensor values,
                              std::optional<AnyTensor> values_mask = {});
    /// Layout coo or rows from a list that is made already: row-major positions or row numbers.
    /// Errors: LayoutError if the list is not of this shape or values do not have one entry for each index.
    static AnyMasked indexed(Layout layout, Shape shape, std::shared_ptr<const IndexList> index,
                             AnyTensor values);

    /// Internal: a list on a device, with entries at these places(); `mask`: which of them are specified, for
    /// layouts that store unspecified elements.
    static AnyMasked placed(Layout layout, Shape shape, AnyTensor entries, AnyTensor places,
                            AnyTensor mask = {});
    /// Internal: sets the places() of a list whose values are on a device, and coalesces it there.
    /// Errors: ShapeError, TargetError as of to().
    void find_places(const char* who);
    /// Internal: for layouts coo and csr on a device, a number for each 32 row-major positions: its low half
    /// has bits for stored elements, its high half counts the stored elements before. Made once for all
    /// handles of a list.
    /// Errors: TargetError; ShapeError if memory runs out.
    AnyTensor ranks() const;
    /// Internal: true if two lists on a device, which specify all that they list, list the same positions.
    /// The second one remembers the list it was last compared with.
    /// Errors: TargetError; ShapeError if memory runs out.
    bool has_same_places(const AnyMasked& other) const;

private:
    struct FoundPlaces;
    AnyMasked(Layout layout, Shape shape, AnyTensor values, AnyTensor mask,
              std::shared_ptr<const IndexList> index,
              std::shared_ptr<const CompressedIndex> compressed = nullptr);
    static AnyMasked coo_of_tensor(Shape shape, const AnyTensor& indices, AnyTensor values);
    static AnyMasked rows_of_tensor(Shape shape, const AnyTensor& row_numbers, AnyTensor values);
    static void check_entries(Layout layout, const Shape& shape, std::int64_t stored,
                              const AnyTensor& values);
    std::vector<std::int64_t> entry_places() const;
    bool is_made_there() const noexcept;

    Layout layout_ = Layout::dense;
    detail::Holding holding_ = detail::Holding::nothing;
    Shape shape_;
    std::int64_t size_ = 0;
    AnyTensor values_;
    AnyTensor mask_, places_;
    std::shared_ptr<const IndexList> index_;
    std::shared_ptr<const CompressedIndex> compressed_;
    std::shared_ptr<const kernel_calls::MaskCache> pattern_;
    std::shared_ptr<FoundPlaces> found_;
    friend struct runtime::Compression;
    friend struct kernel_calls::MaskCache;
};

/// A masked tensor of T.
template <class T>
class MaskedTensor : public AnyMasked,
                     public Subscripts<MaskedTensor<T>>,
                     detail::index_tensors::FromIndexTensors<MaskedTensor<T>, T> {
public:
    /// Type of the elements.
    using Element = T;
    /// An empty masked tensor.
    MaskedTensor() : AnyMasked(AnyMasked::dense(Tensor<T>())) {}
    /// A typed handle to an untyped one.  Errors: DTypeError.
    explicit MaskedTensor(AnyMasked masked);
    /// Refused, with the expression to write instead: dsl/diagnose.hpp.
    template <SomeExpression E>
    MaskedTensor(const E& expression);
    template <class S>
        requires requires { S::symbol_kind; }
    ReversedBinding<S> operator=(const S& symbol);

    // From parts: AnyMasked documents the parts and the errors.
    /// Functions of these names whose indices are tensors.
    using FromTensors = detail::index_tensors::FromIndexTensors<MaskedTensor, T>;
    using FromTensors::csr, FromTensors::csc, FromTensors::bsr, FromTensors::bsc;

    /// AnyMasked::coo, typed.
    static MaskedTensor coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices,
                            const Elements<T>& values, const Elements<bool>& values_mask = {});
    /// AnyMasked::csr, typed.
    static MaskedTensor csr(Shape shape, std::vector<std::int64_t> row_pointers,
                            std::vector<std::int64_t> columns, const Elements<T>& values,
                            const Elements<bool>& values_mask = {});
    /// AnyMasked::csc, typed.
    static MaskedTensor csc(Shape shape, std::vector<std::int64_t> column_pointers,
                            std::vector<std::int64_t> rows, const Elements<T>& values,
                            const Elements<bool>& values_mask = {});
    /// AnyMasked::bsr, typed.
    static MaskedTensor bsr(Shape shape, Blocksize blocksize, std::vector<std::int64_t> row_pointers,
                            std::vector<std::int64_t> columns, const Elements<T>& values,
                            const Elements<bool>& values_mask = {});
    /// AnyMasked::bsc, typed.
    static MaskedTensor bsc(Shape shape, Blocksize blocksize, std::vector<std::int64_t> column_pointers,
                            std::vector<std::int64_t> rows, const Elements<T>& values,
                            const Elements<bool>& values_mask = {});
    /// AnyMasked::two_four, typed.
    static MaskedTensor two_four(Shape shape, std::vector<std::int64_t> slots, const Elements<T>& values,
                                 const Elements<bool>& values_mask = {});
    /// AnyMasked::rows of values row after row.
    static MaskedTensor rows(Shape shape, const std::vector<std::int64_t>& row_numbers,
                             const std::vector<T>& values);
    /// AnyMasked::rows of values in braces, row after row.
    static MaskedTensor rows(Shape shape, const std::vector<std::int64_t>& row_numbers,
                             std::initializer_list<T> values) {
        return rows(std::move(shape), row_numbers, std::vector<T>(values));
    }
    /// AnyMasked::rows, typed.
    static MaskedTensor rows(Shape shape, const std::vector<std::int64_t>& row_numbers, Tensor<T> values);
    /// AnyMasked::coo of a tensor of indices, typed.
    template <std::derived_from<AnyTensor> Indices>
    static MaskedTensor coo(Shape shape, const Indices& indices, Tensor<T> values) {
        return MaskedTensor(AnyMasked::coo(std::move(shape), indices, std::move(values)));
    }
    /// AnyMasked::rows of a tensor of row numbers, typed.
    template <std::derived_from<AnyTensor> Indices>
    static MaskedTensor rows(Shape shape, const Indices& row_numbers, Tensor<T> values) {
        return MaskedTensor(AnyMasked::rows(std::move(shape), row_numbers, std::move(values)));
    }
    /// AnyMasked::bitmask, typed.
    static MaskedTensor bitmask(Tensor<T> values, Tensor<std::int64_t> words);
    /// AnyMasked::dense, typed.
    static MaskedTensor dense(Tensor<T> values);

    /// A deep copy.
    MaskedTensor clone() const { return MaskedTensor(AnyMasked::clone()); }
    /// AnyMasked::to, typed.
    MaskedTensor to(Layout layout, std::optional<Blocksize> blocksize = {}) const {
        return MaskedTensor(AnyMasked::to(layout, blocksize));
    }
    /// AnyMasked::to(Device), typed.
    MaskedTensor to(const Device& device) const { return MaskedTensor(AnyMasked::to(device)); }
    /// AnyMasked::coalesce, typed.
    MaskedTensor coalesce() const { return MaskedTensor(AnyMasked::coalesce()); }
    /// A dense tensor with `fill` where nothing is specified.
    Tensor<T> to_dense(T fill) const;
    /// The only element.  Errors: ShapeError if there is another number of them, UnspecifiedError if it is
    /// not specified.
    T item() const;
};

/// Any elements: the constructor reports the code to write instead.
template <SomeExpression E>
MaskedTensor(const E&) -> MaskedTensor<float>;

/// Values and a mask that broadcasts to them (true = specified), as layout `strided`; shares memory with
/// both.
/// Errors: ShapeError if the mask does not broadcast to the values.
template <class T, class Bool>
    requires std::is_same_v<std::remove_const_t<Bool>, bool>
MaskedTensor<std::remove_const_t<T>> masked(Tensor<T> values, Tensor<Bool> mask) {
    return MaskedTensor<std::remove_const_t<T>>(AnyMasked::strided(std::move(values), std::move(mask)));
}

/// True if dtype, shape, mask and the bits of every specified element are equal, whatever the layouts.
bool same(const AnyMasked& a, const AnyMasked& b);

/// PyTorch's text: `MaskedTensor(`, elements indented by two, `--` where unspecified.
std::string to_string(const AnyMasked& masked, const PrintOptions& options = {});
/// One line on a masked tensor: dtype, shape, layout, number of specified elements, bytes.
std::string describe(const AnyMasked& masked);
/// Writes to_string(masked).
std::ostream& operator<<(std::ostream& out, const AnyMasked& masked);

}  // namespace frisket
