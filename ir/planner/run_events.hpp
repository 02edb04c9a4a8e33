// SPDX-License-Identifier: MIT
// Defines the events that calls record for their reports.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "../../runtime/kernel/kernel_module.hpp"
#include "plan.hpp"
#include "rules/row_blocks.hpp"

/// Events of a call, as plain data: its report is computed from them.
namespace frisket::planning {

/// A plan begins, for a call or for the rest of the plan before.  If it runs, an event of each stage follows,
/// then the plan of its rest, then an event of each result that scatters make.
struct PlanEvent {
    Graph graph;
    std::optional<Plan> plan;     ///< nothing: the graph is one body over whole tensors
    std::vector<Format> formats;  ///< format of each symbol's argument
    bool has_run = true;
};

/// A stage has run, or the graph of a plan as one body, or scatters as lists.
struct StageEvent {
    Graph body = {};                         ///< graph of a body, with its extents
    std::optional<std::int64_t> count = {};  ///< coordinates of a body, or entries that a list kernel reads
    Layout layout = Layout::coo;             ///< layout of a list that is made
    std::int64_t entries = 0, bytes = 0;     ///< its entries, and bytes of their values
    std::int64_t before = 0;  ///< bytes that stages before it have made, and that are still read
    std::int64_t made = 0;    ///< bytes that it makes
};

/// A node whose values loops store and read again.
struct StoredNode {
    NodeId id = no_node;
    DType dtype = DType::float32;  ///< in which it is stored
    bool is_in_rows = false;       ///< stored for some rows of the result at a time, and not whole
};

/// A backend has evaluated the body, or a part of the body, of the stage whose event comes next, or has
/// started kernels for it.
struct BodyEvent {
    Graph graph = {};                          ///< as it was compiled
    std::vector<StoredNode> stored = {};       ///< nodes of it
    std::vector<std::string_view> loops = {};  ///< kinds of compiled loops
    std::string schedule = {};                 ///< theirs, printed; empty: the default
    bool is_tuned = false;                     ///< tuning found the schedule
    int kernels = 0;                           ///< number of those that it starts on a device
    std::int64_t held_bytes = 0;               ///< that it holds at most in addition to operands and results
    bool is_part = false;                      ///< a part of the body: it stores results for later parts
};

/// An elementwise step was made ready.
struct PassEvent {
    Graph step;
    std::vector<Format> formats;  ///< format of each symbol's argument
    /// Strategies whose loops run, in the order of their first use; empty if nobody looked.
    std::vector<Strategy> strategies = {};
    std::vector<kernel_calls::DispatchQuery> queries = {};  ///< queries of the dispatcher, part by part
    Device device = {};                                     ///< place of the tensors
    int kernels = 0;                                        ///< loops that were run
};

/// A step by blocks of listed rows was made ready.
struct RowsEvent {
    RowPlan plan;
    std::vector<int> kernels;  ///< kernels on a device: the values' kernels, and each step's
};

using RunEvent = std::variant<PlanEvent, StageEvent, BodyEvent, PassEvent, RowsEvent>;
/// The events of calls, in their order.
struct RunEvents : std::vector<RunEvent> {};

}  // namespace frisket::planning
