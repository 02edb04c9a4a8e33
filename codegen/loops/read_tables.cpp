// SPDX-License-Identifier: MIT
#include "read_tables.hpp"

namespace frisket::aot {

Signature signature_of(const SignatureTable& table) {
    Signature made;
    made.name = table.name;
    for (const ParameterRow& row : table.parameters)
        made.parameters.push_back({row.name, parse_symbol_kind(row.kind), parse_dtype(row.dtype)});
    for (const UpdateRow& row : table.updates)
        made.updates.push_back({row.target, {row.operands.begin(), row.operands.end()}});
    for (const EqualMasksRow& row : table.equal_masks) made.equal_masks.push_back({row.first, row.second});
    made.domain = table.domain;
    made.outputs.assign(table.outputs.begin(), table.outputs.end());
    made.has_shapes = table.has_shapes;
    made.needs_positions = table.needs_positions;
    return made;
}

WorkloadClass class_of(const CallClassRow& row) {
    return {parse_layout(row.layout), row.elements, row.row_length, row.density, row.lines};
}

}  // namespace frisket::aot
