// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string_view>
#include <type_traits>

#include "index_list.hpp"
#include "tensor.hpp"

namespace frisket {

/// How a masked tensor is stored.  The layout changes the loop, never the result.
enum class Layout : std::uint8_t {
    dense,    ///< values, every element specified
    strided,  ///< values and a byte mask of the same shape
    bitmask,  ///< values and one bit an element, in 64-bit words, row-major
    coo,      ///< positions of the specified elements and their values; duplicates add
    rows,     ///< numbers of the specified rows (dimension 0) and their values; duplicates add
};

/// The name of a layout as users write it, "coo".
std::string_view name_of(Layout layout);
/// The layout of a name.  Errors: LayoutError listing the names.
Layout parse_layout(std::string_view name);
/// Every layout, in the order of the enumeration.
std::span<const Layout> all_layouts();

/// A masked tensor of any dtype: values and a mask of specified elements, in one of several layouts.
/// A handle: copies share; clone() copies.
/// Unspecified: values at elements that are not specified may hold anything and are never observable.
class AnyMasked {
public:
    AnyMasked() = default;

    DType dtype() const noexcept { return values_.dtype(); }
    const Shape& shape() const noexcept { return shape_; }
    int rank() const noexcept { return static_cast<int>(shape_.size()); }
    std::int64_t size() const noexcept { return size_; }  ///< number of elements, specified or not
    Layout layout() const noexcept { return layout_; }

    /// dense, strided, bitmask: of the tensor's shape; coo: [stored]; rows: [stored, trailing dimensions…].
    const AnyTensor& values() const noexcept { return values_; }
    /// strided: bool of the tensor's shape, any strides; bitmask: int64 words, bit i % 64 of word i / 64 is
    /// element i row-major, bits past the end are ignored; other layouts: empty.
    const AnyTensor& mask() const noexcept { return mask_; }
    /// coo: row-major positions; rows: row numbers; in the order given.  Other layouts: null.
    const std::shared_ptr<const IndexList>& index() const noexcept { return index_; }

    /// Number of specified elements (duplicates counted once).  Cost: linear in what is stored.
    std::int64_t specified_count() const;
    /// A deep copy.
    AnyMasked clone() const;
    /// The same meaning stored as `layout`.
    /// Errors: LayoutError if the layout cannot hold it (rows: a row that is specified in part; dense:
    /// anything unspecified).  Cost: linear in what both layouts store.
    AnyMasked to(Layout layout) const;
    /// Sorted, duplicates summed in (index, position) order.  Layouts without duplicates give themselves.
    AnyMasked coalesce() const;
    /// A dense tensor with `fill` (converted to the dtype) where nothing is specified.
    AnyTensor to_dense(double fill) const;
    /// A dense bool tensor: true where specified.
    Tensor<bool> mask_tensor() const;

    static AnyMasked dense(AnyTensor values);
    /// Errors: ShapeError if the mask does not broadcast to the values, DTypeError if it is not bool.
    static AnyMasked strided(AnyTensor values, AnyTensor mask);
    /// Errors: LayoutError if there are too few words.
    static AnyMasked bitmask(AnyTensor values, AnyTensor words);
    /// Errors: LayoutError if lists differ in length or their number is not the rank, or naming the first
    /// index that is out of range.
    static AnyMasked coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices,
                         AnyTensor values);
    /// Errors: LayoutError if the shape has rank 0, values do not have shape [stored, trailing…], or a row
    /// number is out of range.
    static AnyMasked rows(Shape shape, const std::vector<std::int64_t>& row_numbers, AnyTensor values);
    /// Layout coo or rows from a list that is made already: row-major positions or row numbers.
    /// Errors: LayoutError if the list is not of this shape or values do not have one entry for each index.
    static AnyMasked indexed(Layout layout, Shape shape, std::shared_ptr<const IndexList> index,
                             AnyTensor values);

private:
    AnyMasked(Layout layout, Shape shape, AnyTensor values, AnyTensor mask,
              std::shared_ptr<const IndexList> index);

    Layout layout_ = Layout::dense;
    Shape shape_{0};
    std::int64_t size_ = 0;
    AnyTensor values_;
    AnyTensor mask_;
    std::shared_ptr<const IndexList> index_;
};

/// A masked tensor of T.
template <class T>
class MaskedTensor : public AnyMasked {
public:
    MaskedTensor() : AnyMasked(AnyMasked::dense(Tensor<T>())) {}
    /// A typed handle to an untyped one.  Errors: DTypeError.
    explicit MaskedTensor(AnyMasked masked);

    static MaskedTensor coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices,
                            const std::vector<T>& values);
    static MaskedTensor coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices,
                            std::initializer_list<T> values) {
        return coo(std::move(shape), indices, std::vector<T>(values));
    }
    static MaskedTensor coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices,
                            Tensor<T> values);
    static MaskedTensor rows(Shape shape, const std::vector<std::int64_t>& row_numbers,
                             const std::vector<T>& values);
    static MaskedTensor rows(Shape shape, const std::vector<std::int64_t>& row_numbers,
                             std::initializer_list<T> values) {
        return rows(std::move(shape), row_numbers, std::vector<T>(values));
    }
    static MaskedTensor rows(Shape shape, const std::vector<std::int64_t>& row_numbers, Tensor<T> values);
    static MaskedTensor bitmask(Tensor<T> values, Tensor<std::int64_t> words);
    static MaskedTensor dense(Tensor<T> values);

    MaskedTensor clone() const { return MaskedTensor(AnyMasked::clone()); }
    MaskedTensor to(Layout layout) const { return MaskedTensor(AnyMasked::to(layout)); }
    MaskedTensor coalesce() const { return MaskedTensor(AnyMasked::coalesce()); }
    Tensor<T> to_dense(T fill) const;
};

/// Values and a mask that broadcasts to them (true = specified), as layout `strided`; shares memory with
/// both.
/// Errors: ShapeError if the mask does not broadcast to the values.
template <class T, class Bool>
    requires std::is_same_v<std::remove_const_t<Bool>, bool>
MaskedTensor<std::remove_const_t<T>> masked(Tensor<T> values, Tensor<Bool> mask) {
    return MaskedTensor<std::remove_const_t<T>>(AnyMasked::strided(std::move(values), std::move(mask)));
}

/// Whether dtype, shape, mask and the bits of every specified element are equal, whatever the layouts.
bool same(const AnyMasked& a, const AnyMasked& b);

/// PyTorch's text: `MaskedTensor(`, elements indented by two, `--` where unspecified.
std::string to_string(const AnyMasked& masked);
std::ostream& operator<<(std::ostream& out, const AnyMasked& masked);

}  // namespace frisket
