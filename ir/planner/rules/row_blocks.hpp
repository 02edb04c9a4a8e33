// SPDX-License-Identifier: MIT
// Plans steps that read and write listed rows only, one block of rows at a time.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "partition.hpp"

namespace frisket::planning {

/// Form in which a tensor is read with rows of a target: a row for each, or one for all; as whole rows, or as
/// single elements.
struct RowForm {
    bool by_row = false;
    bool is_single = false;
    bool operator==(const RowForm&) const = default;
};

/// A step of a plan: an elementwise step over the listed rows of targets of one shape.
struct RowStage {
    Stage stage;                 ///< values that are computed first are Masked
    std::int64_t length = 1;     ///< elements of a target's row
    std::vector<RowForm> forms;  ///< form of each symbol
    std::vector<int> outputs;    ///< written symbols, in the order of the loop
};

/// A step that reads and writes only listed rows, each by itself: values are computed for some rows,
/// then the steps run over these, then it is the next rows' turn.
struct RowPlan {
    Shape shape;                       ///< shape of the masked arguments
    std::vector<int> masked;           ///< symbols of the step that are Masked
    Stage values;                      ///< shapes with 2 in place of the number of rows
    std::vector<bool> values_by_row;   ///< for each symbol of `values`: it has a row for each listed one
    std::vector<bool> results_by_row;  ///< for each result of `values`: it has a row for each listed one
    std::vector<bool> nodes_by_row;    ///< for each node of `values`: it has a row for each listed one
    bool mixes_coordinates = false;    ///< some value is computed from all listed rows: they are one part
    std::vector<RowStage> steps;
};

/// Nothing if the step looks at other rows, or writes them.
/// Shape: `step` has shapes.
std::optional<RowPlan> plan_rows(const Graph& step);

}  // namespace frisket::planning
