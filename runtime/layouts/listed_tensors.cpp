// SPDX-License-Identifier: MIT
/// Layouts coo and rows from indices that are tensors, on the processor or on a device.
#include <limits>

#include "../tensor/error.hpp"
#include "layout_traits.hpp"
#include "listed_indices.hpp"

namespace frisket {

using namespace runtime;

namespace {

void check_indices(const char* who, const AnyTensor& indices, int rank) {
    indices.check_not_moved(who);
    if (indices.dtype() != DType::int32 && indices.dtype() != DType::int64)
        throw DTypeError(std::string(who) + ": the indices have dtype " +
                         std::string(name_of(indices.dtype())) + ", wanted int32 or int64: convert them");
    if (indices.rank() != rank)
        throw ShapeError(std::string(who) + ": the indices have shape " + to_string(indices.shape()) +
                         (rank == 2 ? ", wanted [rank, stored]: give a row for each dimension"
                                    : ", wanted [stored]: give a number for each row"));
}

IndexMemory memory_of(const AnyTensor& indices) {
    if (indices.dtype() == DType::int64) return {static_cast<const std::int64_t*>(indices.data())};
    return {static_cast<const std::int32_t*>(indices.data())};
}

/// True if lists and values are on a device.  Errors: TargetError if they are on several.
bool are_on_device(Layout layout, std::span<const AnyTensor> indices, const AnyTensor& values) {
    const std::string where(name_of(layout));
    for (const AnyTensor& list : indices)
        if (list.device() != values.device())
            throw TargetError(where + ": the indices are on device " + std::string(list.device().name()) +
                              ", the values on " + std::string(values.device().name()) +
                              ": move one of them with .to()");
    return !values.device().is_cpu();
}

/// Entries of a device, each position once.
AnyMasked listed(Layout layout, Shape shape, std::span<const AnyTensor> indices, AnyTensor values) {
    const std::string where(name_of(layout));
    const std::int64_t size = element_count(shape);
    if (size > std::numeric_limits<std::int32_t>::max())
        throw ShapeError(where + ": shape " + to_string(shape) +
                         " has positions past 2^31, which loops of a device do not reach: split it");
    std::vector<AnyTensor> lists;
    for (const AnyTensor& list : indices) lists.push_back(flat(list));
    const bool by_rows = lists_rows(layout);
    const Shape extents = by_rows ? Shape{shape[0]} : shape;
    if (!are_in_range(lists, extents)) {
        // An index is out of range: the constructor for lists of the processor names it.
        std::vector<AnyTensor> here;
        std::vector<IndexMemory> memory;
        for (const AnyTensor& list : lists) memory.push_back(memory_of(here.emplace_back(list.to(Device()))));
        const AnyTensor any(values.dtype(), values.shape());
        const std::int64_t stored = lists[0].size();
        by_rows ? rows_of(shape, memory[0], stored, any) : coo_of(shape, memory, stored, any);
        throw Bug(where + ": an index was out of range on a device alone");
    }
    PlacedEntries entries = coalesced(places_of(lists, extents), values);
    return AnyMasked::placed(layout, std::move(shape), std::move(entries.values), std::move(entries.places));
}

}  // namespace

AnyMasked AnyMasked::coo_of_tensor(Shape shape, const AnyTensor& indices, AnyTensor values) {
    values.check_not_moved("coo");
    check_indices("coo", indices, 2);
    const std::int64_t dims = indices.shape()[0], stored = indices.shape()[1];
    if (dims != std::ssize(shape))
        throw LayoutError("coo: " + std::to_string(dims) + " lists of indices for shape " + to_string(shape) +
                          ": give one list for each of its " + std::to_string(shape.size()) + " dimensions");
    const AnyTensor lists = indices.is_contiguous() ? indices : indices.clone();
    std::vector<AnyTensor> each;
    for (std::int64_t d = 0; d < dims; ++d) each.push_back(lists.slice(0, d, d + 1));
    if (!are_on_device(Layout::coo, each, values)) {
        std::vector<IndexMemory> memory;
        for (const AnyTensor& list : each) memory.push_back(memory_of(list));
        return coo_of(std::move(shape), memory, stored, std::move(values));
    }
    check_entries(Layout::coo, shape, stored, values);
    return listed(Layout::coo, std::move(shape), each, std::move(values));
}

AnyMasked AnyMasked::rows_of_tensor(Shape shape, const AnyTensor& row_numbers, AnyTensor values) {
    values.check_not_moved("rows");
    check_indices("rows", row_numbers, 1);
    const AnyTensor list = row_numbers.is_contiguous() ? row_numbers : row_numbers.clone();
    if (!are_on_device(Layout::rows, {&list, 1}, values))
        return rows_of(std::move(shape), memory_of(list), list.size(), std::move(values));
    check_rows(shape, "rows");
    check_entries(Layout::rows, shape, list.size(), values);
    return listed(Layout::rows, std::move(shape), {&list, 1}, std::move(values));
}

}  // namespace frisket
