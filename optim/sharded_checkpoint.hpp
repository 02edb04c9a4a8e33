// SPDX-License-Identifier: MIT
// Internal: files of a checkpoint that several ranks write; load_sharded is public.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "checkpoint_manifest.hpp"

/// Checkpoints that several ranks write: a folder with a file of tensors of each, and a manifest.
///
/// A file of a rank has, of a parameter NAME whose rows are shared out, the tensors NAME and NAME.STATE with
/// a row for each of its own, and NAME@rows, their numbers (int64).  Of what every rank has whole, and of
/// numbers, the first file has NAME and NAME.STATE as they are.
///
/// The manifest, `manifest.safetensors`, has no tensors, and as metadata `shards`, how many files there are,
/// `generation` and `save`, which are part of their names, `parameter.NAME`, the shape of each parameter, and
/// rules and options as Optimizer::save writes them.  Each file of a rank has `save` too.
namespace frisket::optim {

/// Rows of a parameter that a reader wants.
struct WantedRows {
    static constexpr std::int64_t any = -1;
    std::int64_t of = any;   ///< rows that the parameter must have
    std::int64_t count = 0;  ///< number of them
    /// Place of a row among them, or -1.
    std::function<std::int64_t(std::int64_t row)> place;
    bool has_state = true;  ///< their state as well
};

/// A parameter of a checkpoint whose rows are shared out.
struct ShardedParameter {
    Shape shape;
    DType dtype;
};
/// Reads the headers of all files if `are_rows_counted`, else that of the first file.
/// Errors: as load_sharded; IoError if there is no such parameter, or if every rank had it whole.
ShardedParameter sharded_parameter(const std::string& folder, const Safetensors& manifest,
                                   const std::string& name, bool are_rows_counted);

/// Some rows of a checkpoint; nothing: all rows of a parameter.  Cost: of files, what holds these rows is
/// read, in pieces of a megabyte.  `likely`: the file that may have all rows: if it has, others are not read.
Safetensors load_sharded(const std::string& folder, const Safetensors& manifest,
                         const std::function<std::optional<WantedRows>(const std::string& parameter)>& wanted,
                         std::optional<int> likely);

}  // namespace frisket::optim
