// SPDX-License-Identifier: MIT
#include "c_arguments.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "../device/device_memory.hpp"
#include "../layouts/compressed.hpp"
#include "../layouts/listed_indices.hpp"
#include "../tensor/error.hpp"
#include "../tensor/reach.hpp"
#include "binding.hpp"

namespace frisket::kernel_calls {

static_assert(static_cast<int>(ErrorCode::bug) == FRISKET_BUG &&
              static_cast<int>(ErrorCode::layout) == FRISKET_LAYOUT);
static_assert(static_cast<int>(DType::bfloat16) == FRISKET_BFLOAT16 &&
              static_cast<int>(DType::boolean) == FRISKET_BOOL);
static_assert(static_cast<int>(Layout::two_four) == FRISKET_TWO_FOUR &&
              static_cast<int>(Layout::dense) == FRISKET_DENSE);
static_assert(max_rank == FRISKET_MAX_RANK);

using aot::CArgument;

auto CArguments::named(std::size_t parameter, const auto& of) {
    where_ = signature_.name + ": " + signature_.parameters[parameter].name;
    try {
        return of();
    } catch (const Error& error) {
        // Errors of tensors do not name the argument.
        const std::string text = error.text();
        if (error.code() == ErrorCode::bug || text.starts_with(where_)) throw;
        raise(error.code(), where_ + ": " + text);
    }
}

std::vector<Argument> CArguments::converted(std::initializer_list<CArgument> given,
                                            const std::function<void(std::span<const Shape>)>& check_shapes) {
    std::vector<Shape> shapes;
    std::vector<Argument> arguments;
    for (const CArgument& one : given) shapes.push_back(named(shapes.size(), [&] { return shape_of(one); }));
    check_shapes(shapes);
    for (const CArgument& one : given)
        arguments.push_back(named(arguments.size(), [&] { return argument(one); }));
    return arguments;
}

Argument CArguments::argument(const CArgument& given) {
    switch (given.kind) {
        case CArgument::Kind::real: return given.real;
        case CArgument::Kind::integer: return given.integer;
        case CArgument::Kind::tensor: return tensors_.emplace_back(tensor(*given.tensor));
        case CArgument::Kind::masked: return masked_.emplace_back(masked(*given.masked));
        case CArgument::Kind::state: break;
    }
    return Argument::state(const_cast<double&>(*given.state));
}

template <class T>
const T& CArguments::present(const T* pointer) const {
    if (!pointer)
        throw ValueError(where_ + " is a null pointer, or was not named: give it the address of an argument");
    return *aligned(pointer, "the argument");
}

template <class T>
const T* CArguments::aligned(const T* pointer, const char* name) const {
    if (reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) == 0) return pointer;
    throw ValueError(where_ + ": " + name + " lies at no multiple of " + std::to_string(alignof(T)) +
                     " bytes: give aligned memory");
}

Shape CArguments::shape_of(const CArgument& given) const {
    Shape extents;
    if (given.kind == CArgument::Kind::state) present(given.state);
    if (given.kind == CArgument::Kind::tensor) extents = shape(present(given.tensor));
    if (given.kind == CArgument::Kind::masked) extents = shape(present(given.masked));
    element_count(extents);  // refuses invalid shapes
    return extents;
}

Shape CArguments::shape(const frisket_masked& given) const {
    if (given.layout < FRISKET_DENSE || given.layout > FRISKET_TWO_FOUR)
        throw LayoutError(where_ + " has layout " + std::to_string(given.layout) +
                          ": see enum frisket_layout");
    return given.layout >= FRISKET_COO ? shape(given.rank, given.shape) : shape(given.values);
}

Shape CArguments::shape(int rank, const std::int64_t* extents) const {
    if (rank < 0 || rank > max_rank)
        throw DimError(where_ + " has rank " + std::to_string(rank) + ": a rank is from 0 to " +
                       std::to_string(max_rank));
    if (rank > 0 && !extents) throw ValueError(where_ + " has no shape: set `shape` to its extents");
    return rank == 0 ? Shape{} : Shape(aligned(extents, "`shape`"), extents + rank);
}

AnyTensor CArguments::tensor(const frisket_tensor& given) const {
    if (given.dtype < FRISKET_BOOL || given.dtype > FRISKET_BFLOAT16)
        throw DTypeError(where_ + " has dtype " + std::to_string(given.dtype) + ": see enum frisket_dtype");
    const Shape extents = shape(given);
    const Strides strides = given.strides && given.rank > 0
                                ? Strides(aligned(given.strides, "`strides`"), given.strides + given.rank)
                                : contiguous_strides(extents);
    if (!given.data && element_count(extents) > 0)
        throw ValueError(where_ + " has no data: `data` is null and there are elements");
    const auto dtype = static_cast<DType>(given.dtype);
    if (detail::is_device_address(given.data)) check_on_device(dtype, given.data, extents, strides);
    return {dtype, given.data, extents, strides, true, {}};
}

void CArguments::check_on_device(DType dtype, const void* data, const Shape& extents,
                                 const Strides& strides) const {
    if (element_count(extents) == 0) return runtime::check_on_device(data, 0, where_);
    const auto reach = runtime::reach_of(extents, strides, bytes_of(dtype));
    if (!reach) return;  // the tensor is refused with a message
    runtime::check_on_device(static_cast<const std::byte*>(data) + reach->low, reach->high - reach->low,
                             where_);
}

AnyMasked CArguments::masked(const frisket_masked& given) const {
    AnyMasked made = in_its_layout(given);
    if (!made.device().is_cpu()) made.find_places(where_.c_str());
    return made;
}

AnyMasked CArguments::in_its_layout(const frisket_masked& given) const {
    AnyTensor values = tensor(given.values);
    switch (given.layout) {
        case FRISKET_DENSE: return AnyMasked::dense(std::move(values));
        case FRISKET_STRIDED: return AnyMasked::strided(std::move(values), tensor(given.mask));
        case FRISKET_BITMASK: return AnyMasked::bitmask(std::move(values), tensor(given.mask));
        case FRISKET_COO:
        case FRISKET_ROWS: return listed(given, std::move(values));
        default: return matrix(given, std::move(values));
    }
}

std::int64_t CArguments::checked_count(std::int64_t count, const char* name) const {
    if (count < 0)
        throw ValueError(where_ + " has " + name + " " + std::to_string(count) + ": a count is 0 or more");
    return count;
}

void CArguments::check_stored(const frisket_masked& given, const AnyTensor& values,
                              const Shape& stored) const {
    if (values.shape() == stored) return;
    throw LayoutError(where_ + " has count " + std::to_string(given.count) + " and values of shape " +
                      to_string(values.shape()) + ", wanted " + to_string(stored) +
                      ": give one entry for each index");
}

DType CArguments::index_dtype(int dtype) const {
    const int type = dtype == 0 ? FRISKET_INT64 : dtype;
    if (type != FRISKET_INT64 && type != FRISKET_INT32)
        throw DTypeError(where_ + " has index_dtype " + std::to_string(dtype) +
                         ": indices are FRISKET_INT64 or FRISKET_INT32");
    return static_cast<DType>(type);
}

AnyTensor CArguments::there(const frisket_masked& given, const Shape& extents) const {
    const DType dtype = index_dtype(given.index_dtype);
    const Strides strides = contiguous_strides(extents);
    check_on_device(dtype, given.indices, extents, strides);
    return {dtype, const_cast<void*>(given.indices), extents, strides, false, {}};
}

template <class Use>
auto CArguments::with_list(const void* data, int dtype, std::int64_t count, const char* name,
                           const Use& use) const {
    const DType type = index_dtype(dtype);
    if (data == nullptr && count > 0)
        throw ValueError(where_ + " has no " + name + ": set `" + name + "` to the list");
    if (detail::is_device_address(data))
        throw TargetError(where_ + ": `" + name +
                          "` lies in memory of a device, which layouts coo and rows alone take: give it in "
                          "memory of the processor, also where the values are on a device");
    const auto read = [&]<class Index>(const Index* from) {
        if (count > 0) {
            aligned(from, (std::string("`") + name + "`").c_str());
            // A view of them refuses shapes that no memory holds.
            const AnyTensor view(type, const_cast<Index*>(from), {count}, {1}, false, {});
        }
        try {
            return use(from);
        } catch (const std::bad_alloc&) { refuse_count(count); } catch (const std::length_error&) {
            refuse_count(count);
        }
    };
    return type == DType::int64 ? read(static_cast<const std::int64_t*>(data))
                                : read(static_cast<const std::int32_t*>(data));
}

void CArguments::refuse_count(std::int64_t count) const {
    throw LayoutError(where_ + " has count " + std::to_string(count) +
                      ", there is no memory for so many indices: give fewer at a time");
}

AnyMasked CArguments::listed(const frisket_masked& given, AnyTensor values) const {
    const bool by_row = given.layout == FRISKET_ROWS;
    Shape extents = shape(given);
    if (by_row && extents.empty())
        throw LayoutError(where_ + " is of rank 0 and has no rows: use another layout");
    Shape stored{checked_count(given.count, "count")};
    if (by_row) stored.insert(stored.end(), extents.begin() + 1, extents.end());
    check_stored(given, values, stored);
    const std::size_t lists = by_row ? 1 : extents.size();
    std::int64_t all = 0;
    if (__builtin_mul_overflow(given.count, static_cast<std::int64_t>(lists), &all))
        all = std::numeric_limits<std::int64_t>::max();
    if (detail::is_device_address(given.indices)) {
        const AnyTensor indices =
            there(given, by_row ? Shape{given.count} : Shape{std::ssize(extents), given.count});
        return by_row ? AnyMasked::rows(std::move(extents), indices, std::move(values))
                      : AnyMasked::coo(std::move(extents), indices, std::move(values));
    }
    return with_list(given.indices, given.index_dtype, all, "indices", [&](const auto* indices) {
        if (by_row) return runtime::rows_of(std::move(extents), indices, given.count, std::move(values));
        std::vector<runtime::IndexMemory> dims;
        for (std::size_t d = 0; d < lists; ++d)
            dims.emplace_back(indices + static_cast<std::ptrdiff_t>(d) * given.count);
        return runtime::coo_of(std::move(extents), dims, given.count, std::move(values));
    });
}

/// csr, csc, bsr, bsc, two_four.
AnyMasked CArguments::matrix(const frisket_masked& given, AnyTensor values) const {
    if (const Shape extents = shape(given); extents.size() != 2)
        throw LayoutError(where_ + " has shape " + to_string(extents) +
                          " and the layout of a matrix: give it two extents, or use another layout");
    std::optional<AnyTensor> mask;
    if (given.mask.data != nullptr) mask = tensor(given.mask);
    if (given.layout == FRISKET_TWO_FOUR) return two_four(given, std::move(values), mask);
    return compressed(given, std::move(values), mask);
}

AnyMasked CArguments::two_four(const frisket_masked& given, AnyTensor values,
                               const std::optional<AnyTensor>& mask) const {
    Shape extents = shape(given);
    if (extents[1] % 4 != 0)
        throw LayoutError(where_ + " has " + std::to_string(extents[1]) +
                          " columns: columns of two_four divide by 4");
    const Shape stored{extents[0], extents[1] / 2};
    if (checked_count(given.count, "count") != element_count(stored))
        throw LayoutError(where_ + " has count " + std::to_string(given.count) + ", wanted " +
                          std::to_string(element_count(stored)) +
                          ": two slots for each row and four columns");
    check_stored(given, values, stored);
    return AnyMasked::two_four(std::move(extents),
                               list(given.indices, given.index_dtype, given.count, "indices"),
                               std::move(values), mask);
}

/// csr, csc, bsr, bsc.
AnyMasked CArguments::compressed(const frisket_masked& given, AnyTensor values,
                                 const std::optional<AnyTensor>& mask) const {
    using namespace runtime;
    static constexpr const Compression* kinds[] = {&csr_compression, &csc_compression, &bsr_compression,
                                                   &bsc_compression};
    const Compression& kind =
        **std::ranges::find(kinds, static_cast<Layout>(given.layout), &Compression::layout);
    Shape extents = shape(given);
    const Blocksize block = kind.has_blocks ? Blocksize{given.block_rows, given.block_columns} : Blocksize{};
    if (block.rows < 1 || block.columns < 1 || extents[0] % block.rows != 0 ||
        extents[1] % block.columns != 0)
        throw LayoutError(where_ + " has blocks of [" + std::to_string(block.rows) + ", " +
                          std::to_string(block.columns) + "], and shape " + to_string(extents) +
                          ": blocks divide the shape");
    const std::int64_t lines = kind.by_column ? extents[1] / block.columns : extents[0] / block.rows;
    if (given.pointer_count != lines + 1)
        throw LayoutError(where_ + " has " + std::to_string(given.pointer_count) + " pointers, wanted " +
                          std::to_string(lines + 1) +
                          ": one for each row (or column) of entries, and the end");
    Shape stored{checked_count(given.count, "count")};
    if (kind.has_blocks) stored.insert(stored.end(), {block.rows, block.columns});
    check_stored(given, values, stored);
    auto pointers = list(given.pointers, given.index_dtype, given.pointer_count, "pointers");
    auto indices = list(given.indices, given.index_dtype, given.count, "indices");
    return kind.made(std::move(extents),
                     {.pointers = std::move(pointers), .indices = std::move(indices), .blocksize = block},
                     std::move(values), mask);
}

/// The numbers of a list.
std::vector<std::int64_t> CArguments::list(const void* data, int dtype, std::int64_t count,
                                           const char* name) const {
    return with_list(data, dtype, count, name, [&](const auto* from) {
        return count == 0 ? std::vector<std::int64_t>() : std::vector<std::int64_t>(from, from + count);
    });
}

}  // namespace frisket::kernel_calls
