// SPDX-License-Identifier: MIT
// Describes schedules, their knobs, and the targets that loops are compiled for.
#pragma once
#include "../../runtime/kernel/strategy.hpp"
#include "../../runtime/tensor/memory.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace frisket {

/// Names a target of the table, "cpu" or "opencl" for instance.  The default is $FRISKET_TARGET, or "cpu".
/// jit() throws TargetError for an unknown or absent one, listing those there are.
struct TargetName { std::string name; };

/// The name; for an empty name the default's, which FRISKET_TARGET sets.
std::string_view name_of(const TargetName& target);
/// The row of a name; an empty name is the default.  Errors: TargetError listing the names there are.
const TargetRow& find_target(const TargetName& target);
/// Errors: TargetError if the target is unknown, or absent on this machine, listing those there are.
const TargetRow& check_present(const TargetName& target);
/// The reason why the target cannot run on this machine, or an empty text.
std::string why_absent(const TargetRow& target);

/// Treatment of the end of a row by vectors.
enum class Tail : std::uint8_t {
    guard,      ///< the rest one element after another
    predicate,  ///< one vector more, with a predicate for each element
};

/// Computation of the stages of an expression along rows: softmax, layer norm, attention.
enum class RowStages : std::uint8_t {
    fused,  ///< all stages of some rows after one another, where that is legal
    apart,  ///< each stage for all rows
};

/// Parameters of the loops of one strategy, or of an expression: a value that is parsed, printed, compared,
/// stored in files.
/// Schedules change the time that loops take, never a byte that they write.
struct Schedule {
    Strategy strategy = Strategy::dense;
    int tile = 64;      ///< elements that one test of the mask decides about
    int vector = 0;     ///< elements of a vector; 0: the float32 count of a processor's register
    int unroll = 0;     ///< vectors (of gather: entries of the list) that one turn of the inner loop takes;
                        ///< 0: a whole word of the mask, elsewhere one
    int grain = 65536;  ///< elements (of gather: entries of the list) of a parallel task; for those that walk
                        ///< masks by tiles 262144, unless told otherwise
    Tail tail = Tail::guard;
    int block = 0;  ///< elements that a block of a device's threads takes; 0: 64
    // Knobs of expressions; 0: as their loops are made for the processor.
    int product_vectors = 0;                  ///< vectors of a row of a tile of a matrix product
    int product_rows = 0;                     ///< rows of such a tile
    int transposed_columns = 0;               ///< columns of a tile where an operand is transposed
    int transposed_rows = 0;                  ///< rows of such a tile
    int inlined = 0;                          ///< operations of a value that is made again for each reader
    RowStages row_stages = RowStages::fused;  ///< stages along rows
    bool operator==(const Schedule&) const = default;
};

/// A piece of a schedule that may be chosen freely.
struct Knob {
    std::string_view name;
    int least, most;  ///< and every power of two between them; with words: numbers of the words
    std::string_view means;
    unsigned strategies;  ///< bit i: strategy i has it
    int (*get)(const Schedule&);
    void (*set)(Schedule&, int);
    std::span<const std::string_view> words = {};  ///< its values, if they are words
};

/// THE table of knobs.
std::span<const Knob> knobs();
/// True if a strategy has the knob.
bool has(Strategy strategy, const Knob& knob);

/// The schedule of a strategy unless told otherwise.
Schedule default_schedule(Strategy strategy);

/// The schedule with numbers in place of each 0 that leaves the choice to the processor; `lanes`: float32 in
/// a register.
Schedule resolved(Schedule schedule, int lanes);
/// The schedule with numbers in place of each 0 that leaves the choice to a device.
Schedule resolved_for_device(Schedule schedule);

/// Checks that the loops of a step for a target can run by this schedule.  Errors: ScheduleError if the
/// schedule is an expression's, sets a knob of devices for a target that is none, or a value that the device
/// does not support, with the legal values.
void check_for(const Schedule& schedule, const TargetRow& target);
/// Checks that a schedule is one of expressions.  Errors: ScheduleError naming the knobs that these have.
void check_of_expression(const Schedule& schedule);
/// The sizes of vectors that devices have, and of blocks: the least, the default without a schedule, the
/// largest.
inline constexpr int device_vectors[] = {1, 4};
inline constexpr int least_block = 64, default_block = 128, most_block = 1024;
/// True if a strategy has loops for devices.
bool has_device_loops(Strategy strategy);
/// True if there are loops of this strategy for processors.
bool has_processor_loops(Strategy strategy);
/// True if its loops for devices have vectors.
bool has_device_vectors(Strategy strategy);

/// A schedule from its text: a strategy, or "expression", then any of its knobs, "skip tile=256 vector=16
/// grain=4096".
/// Errors: ScheduleError that names the fault and the legal values.
Schedule schedule(std::string_view text);
/// The text that `schedule` takes: the strategy and every knob that it has.
std::string to_string(const Schedule& schedule);

}  // namespace frisket
