// SPDX-License-Identifier: MIT
// Internal: gradients of tables, as lists of entries on their way to the ranks that own their rows.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "../runtime/kernel/argument.hpp"
#include "channel.hpp"
#include "partition.hpp"

namespace frisket::mpi {

/// A table as its gradients see it.
struct TableShape {
    Shape shape;
    DType dtype = DType::float32;
    /// Elements of a row.
    std::int64_t row_length() const;
    /// Bytes of an entry's values: a row of layout `rows`, else an element.
    std::int64_t entry_bytes(Layout layout) const;
};

/// Entries as a message has them: how many, the place of each (a row, or a row-major position, of the whole
/// table), then the values of each, in the order in which they were given.
///
/// A part's layout is `rows`, or `coo` for that and `csr`.

/// Errors: LayoutError naming the layout of a gradient that is none of these, and what to write instead.
Layout list_layout(const std::string& where, const Argument& part);

/// Adds the entries of parts, one after the other, to the messages to their owners.
/// Precondition: all parts have one list_layout.
void pack(const TableShape& table, const Placement& placement, const std::vector<Argument>& parts,
          std::vector<detail::Bytes>& outgoing);

/// Takes the entries of a table from messages, in the order of the ranks that sent them, and makes the
/// gradient of this rank's rows of them.  Each span is left behind what was read.
AnyMasked unpack(const TableShape& table, const Placement& placement, Layout layout,
                 std::span<std::span<const std::byte>> incoming);

}  // namespace frisket::mpi
