// SPDX-License-Identifier: MIT
/// two_four: a matrix of which at most two of four neighbours in a row are specified: for each group of four
/// columns two slots, ascending, a value and a bool each.  An unused slot has the lowest unspecified column
/// of the group, and its bool is false.
#include <array>

#include "../device/device_kernels.hpp"
#include "scattered.hpp"

namespace frisket {

using namespace runtime;

namespace {

struct TwoFourWalk {
    template <class Body>
    static void each(const AnyMasked& masked, Body&& body) {
        const auto* is_specified = static_cast<const std::uint8_t*>(masked.mask().data());
        const std::vector<std::int64_t>& slots = masked.compressed_index()->indices;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(slots.size()); ++i)
            if (is_specified[i] != 0) body(i / 2 * 4 + slots[i], i);
    }
};

void check_shape(const std::string& where, const Shape& shape) {
    if (shape.size() != 2)
        throw LayoutError(where + ": shape " + to_string(shape) + " has " + std::to_string(shape.size()) +
                          " dimensions, layout two_four holds matrices: use coo, strided or bitmask");
    if (shape[1] % 4 != 0)
        throw LayoutError(where + ": shape " + to_string(shape) +
                          " has columns that do not divide by 4: use another layout, or fill the rows up");
}

void check_slots(const Shape& shape, const std::vector<std::int64_t>& slots) {
    const std::int64_t wanted = shape[0] * (shape[1] / 2);
    if (static_cast<std::int64_t>(slots.size()) != wanted)
        throw LayoutError("two_four: " + std::to_string(slots.size()) + " slots for shape " +
                          to_string(shape) + ": give " + std::to_string(wanted) +
                          ", two for each row and four columns");
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const std::string here =
            "two_four: slot " + std::to_string(slots[i]) + " at position " + std::to_string(i);
        if (slots[i] < 0 || slots[i] > 3) throw LayoutError(here + " is out of range: slots are 0 to 3");
        if (i % 2 == 1 && slots[i] <= slots[i - 1])
            throw LayoutError(here + " follows " + std::to_string(slots[i - 1]) +
                              ": the two slots of a group ascend");
    }
}

/// The slots of a group of which `count` (0 to 2) are specified, at `at`; returns which slots these are.
std::array<std::int64_t, 2> slots_of(int count, const std::int64_t* at, std::array<int, 2>& place) {
    place = {0, 1};
    if (count == 2) return {at[0], at[1]};
    if (count == 0) return {0, 1};
    if (at[0] == 0) return {0, 1};
    place[0] = 1;
    return {0, at[0]};
}

/// Refuses a group of more than two; `first` is its first entry.
void check_group(const Shape& shape, const std::vector<std::int64_t>& positions, std::size_t first) {
    const std::int64_t group = positions[first] / 4, groups = shape[1] / 4;
    std::size_t count = 1;
    while (first + count < positions.size() && positions[first + count] / 4 == group) ++count;
    if (count <= 2) return;
    const std::int64_t column = group % groups * 4;
    throw LayoutError("to: row " + std::to_string(group / groups) + " has " + std::to_string(count) +
                      " specified elements in columns " + std::to_string(column) + " to " +
                      std::to_string(column + 3) + " (group " + std::to_string(group % groups) +
                      "), layout two_four holds two of four: use another layout");
}

AnyMasked from(const AnyMasked& masked) {
    check_shape("to", masked.shape());
    const Entries entries = traits_of(masked.layout()).entries(masked);
    const Shape stored{masked.shape()[0], masked.shape()[1] / 2};
    AnyTensor values(masked.dtype(), stored), mask(DType::boolean, stored);
    std::vector<std::int64_t> slots;
    slots.reserve(static_cast<std::size_t>(element_count(stored)));
    auto* is_specified = static_cast<std::uint8_t*>(mask.data());
    dispatch_width(masked.dtype(), [&]<class U>() {
        const Reader<U> value(entries.values.data());
        U* to = static_cast<U*>(values.data());
        std::size_t next = 0;
        for (std::int64_t group = 0; group < masked.size() / 4; ++group) {
            const std::size_t first = next;
            std::int64_t at[2] = {};
            for (; next < entries.positions.size() && entries.positions[next] / 4 == group; ++next) {
                if (next == first) check_group(masked.shape(), entries.positions, first);
                at[next - first] = entries.positions[next] % 4;
            }
            std::array<int, 2> place;
            const auto found = slots_of(static_cast<int>(next - first), at, place);
            slots.insert(slots.end(), found.begin(), found.end());
            for (std::size_t i = first; i < next; ++i) {
                to[group * 2 + place[i - first]] = value[i];
                is_specified[group * 2 + place[i - first]] = 1;
            }
        }
    });
    return AnyMasked::two_four(masked.shape(), std::move(slots), std::move(values), std::move(mask));
}

AnyMasked from_on_device(const AnyMasked& masked, std::optional<Blocksize>) {
    check_shape("to", masked.shape());
    const AnyTensor bytes = on_device::mask_bytes(masked);
    if (on_device::rows_with(bytes, 4, 3, 4).count > 0) return from(masked.to(Device()));  // names the first
    const Shape stored{masked.shape()[0], masked.shape()[1] / 2};
    const AnyTensor places = empty(DType::int32, {element_count(stored)}, masked.device());
    run(DeviceKernel::slots_of_groups, {}, {flat(bytes)}, places);
    return AnyMasked::placed(Layout::two_four, masked.shape(),
                             gathered_rows(on_device::dense_values(masked), places, 1, stored), places,
                             gathered_rows(bytes, places, 1, stored));
}

std::vector<std::int64_t> stored_positions(const AnyMasked& masked) {
    std::vector<std::int64_t> positions = masked.compressed_index()->indices;
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += static_cast<std::int64_t>(i / 2 * 4);
    return positions;
}

/// True if unused slots have their canonical columns.
bool is_canonical(const std::vector<std::int64_t>& slots, const AnyTensor& mask) {
    const auto* is_specified = static_cast<const std::uint8_t*>(mask.data());
    for (std::size_t i = 0; i < slots.size(); i += 2) {
        const int count = (is_specified[i] != 0) + (is_specified[i + 1] != 0);
        std::array<int, 2> place;
        const std::int64_t at[] = {is_specified[i] != 0 ? slots[i] : slots[i + 1], slots[i + 1]};
        const auto wanted = slots_of(count, at, place);
        if (wanted[0] != slots[i] || wanted[1] != slots[i + 1]) return false;
    }
    return true;
}

}  // namespace

AnyMasked AnyMasked::two_four(Shape shape, std::vector<std::int64_t> slots, AnyTensor values,
                              std::optional<AnyTensor> values_mask) {
    values.check_not_moved("two_four");
    element_count(shape);  // refuses invalid shapes
    check_shape("two_four", shape);
    check_slots(shape, slots);
    const Shape stored{shape[0], shape[1] / 2};
    if (values.shape() != stored && values.shape() != Shape{element_count(stored)})
        throw LayoutError("two_four: the values have shape " + to_string(values.shape()) + ", shape " +
                          to_string(shape) + " wants " + to_string(stored) +
                          ": give one value for each slot");
    values = (values.is_contiguous() ? values : values.clone()).reshape(stored);
    AnyTensor mask =
        values_mask ? checked_values_mask("two_four", *values_mask, stored) : full<bool>(stored, true);
    const bool canonical = is_canonical(slots, mask);
    auto index = std::make_shared<const CompressedIndex>(
        CompressedIndex{.pointers = {}, .indices = std::move(slots), .blocksize = {}});
    AnyMasked made(Layout::two_four, std::move(shape), std::move(values), std::move(mask), nullptr,
                   std::move(index));
    return canonical ? made : from(made);
}

constinit const LayoutTraits runtime::two_four_traits = [] {
    LayoutTraits row = Scattered<TwoFourWalk>::row(Layout::two_four, "two_four", MaskForm::padded, from);
    row.kernel_layout = Layout::bitmask;
    row.on_device = from_on_device;
    row.holds = [](const Shape& shape) { return shape.size() == 2 && shape[1] % 4 == 0; };
    row.stored_positions = stored_positions;
    return row;
}();

}  // namespace frisket
