// SPDX-License-Identifier: MIT
// Lists the kinds of loops, with their names in reports.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace frisket::codegen {

/// Kinds of loops in an expression.
enum class LoopKind : std::uint8_t {
    elements,
    transposed_tiles,
    rows,
    row_tiles,
    result_tiles,
    product_tiles,
    product_columns,
    product_rows,
    dot,
    panels,
    selected_terms,
    skipped_blocks,
    wanted_tiles,
    reduced_columns,
    reduced_rows,
    reduced_all,
    positions,
    scanned_rows,
    scanned_columns,
    scatter,
    stored,
    joined,
    threads,
};

struct LoopKindInfo {
    LoopKind kind;
    std::string_view name;
};

/// THE table of kinds, with their names in reports.
inline constexpr LoopKindInfo loop_kinds[] = {
    {.kind = LoopKind::elements, .name = "elements"},
    {.kind = LoopKind::transposed_tiles, .name = "transposed tiles"},
    {.kind = LoopKind::rows, .name = "rows"},
    {.kind = LoopKind::row_tiles, .name = "tiles of rows"},
    {.kind = LoopKind::result_tiles, .name = "tiles of the result"},
    {.kind = LoopKind::product_tiles, .name = "product by tiles"},
    {.kind = LoopKind::product_columns, .name = "product by strips of columns"},
    {.kind = LoopKind::product_rows, .name = "product by rows"},
    {.kind = LoopKind::dot, .name = "product of one sum"},
    {.kind = LoopKind::panels, .name = "panels of terms"},
    {.kind = LoopKind::selected_terms, .name = "selected terms"},
    {.kind = LoopKind::skipped_blocks, .name = "blocks of a mask skipped"},
    {.kind = LoopKind::wanted_tiles, .name = "tiles wanted by a mask"},
    {.kind = LoopKind::reduced_columns, .name = "columns reduced"},
    {.kind = LoopKind::reduced_rows, .name = "rows reduced"},
    {.kind = LoopKind::reduced_all, .name = "all reduced at once"},
    {.kind = LoopKind::positions, .name = "positions of a reduction"},
    {.kind = LoopKind::scanned_rows, .name = "rows scanned by blocks"},
    {.kind = LoopKind::scanned_columns, .name = "columns scanned"},
    {.kind = LoopKind::scatter, .name = "scatter"},
    {.kind = LoopKind::stored, .name = "values stored between"},
    {.kind = LoopKind::joined, .name = "parts joined"},
    {.kind = LoopKind::threads, .name = "threads"},
};

/// Set of kinds.
class LoopKinds {
public:
    LoopKinds() = default;
    explicit LoopKinds(std::int64_t bits) : bits_(bits) {}

    void add(LoopKind kind) { bits_ |= std::int64_t{1} << static_cast<int>(kind); }
    void add(LoopKinds others) { bits_ |= others.bits_; }
    /// A number from which the set is made again.
    std::int64_t bits() const noexcept { return bits_; }
    bool contains(LoopKind kind) const { return ((bits_ >> static_cast<int>(kind)) & 1) != 0; }
    std::vector<std::string_view> names() const {
        std::vector<std::string_view> found;
        for (const auto& [kind, name] : loop_kinds)
            if (contains(kind)) found.push_back(name);
        return found;
    }

private:
    std::int64_t bits_ = 0;
};

}  // namespace frisket::codegen
