// SPDX-License-Identifier: MIT
// Stores the values of a call while its plan runs.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "../../runtime/layouts/layout.hpp"
#include "../../runtime/list_kernels/coordinate_set.hpp"
#include "../../runtime/list_kernels/sparse_vector.hpp"
#include "../interpreter/interpret.hpp"
#include "plan.hpp"

namespace frisket::planning {

/// The positions that a masked tensor specifies.
struct SampledPositions {
    AnyMasked list;  ///< which the positions may be in
    runtime::Coordinates places;
};

/// The values of a call by their numbers.
class PlanValues {
public:
    /// Refers to the arguments.
    explicit PlanValues(std::span<const Argument> arguments) : arguments_(arguments) {}

    ValueId count() const noexcept { return static_cast<ValueId>(arguments_.size() + made_.size()); }
    /// Makes room for the values of a plan.
    void resize(ValueId count) { made_.resize(static_cast<std::size_t>(count) - arguments_.size()); }

    template <class T>
    void set(ValueId id, T value) {
        made(id) = std::move(value);
    }
    /// Releases the results of a stage.
    void release(ValueId id) {
        made(id) = std::monostate();
        spread_.erase(id);
    }
    /// Memory of all that stages have made: memory shared by several values counts once.
    std::int64_t bytes() const;
    /// Shape: the value is an argument, or a tensor that a stage has made.
    const Argument& argument(ValueId id) const {
        const auto place = static_cast<std::size_t>(id);
        return place < arguments_.size() ? arguments_[place] : std::get<Argument>(made(id));
    }
    const list_kernels::CoordinateSet& coordinates(ValueId id) const {
        return *std::get<std::shared_ptr<const list_kernels::CoordinateSet>>(made(id));
    }
    const SampledPositions& positions(ValueId id) const {
        return *std::get<std::shared_ptr<const SampledPositions>>(made(id));
    }
    /// Results of bodies, moved out, and lists; an empty value for no_value.  Each has memory of its own.
    std::vector<Result> take_results(const std::vector<ValueId>& ids);
    /// The values of a tensor, dense or not, or of a result.
    AnyTensor dense(ValueId id) const;
    /// A list as kernels read it.
    list_kernels::SparseVector list(const ListOperand& operand) const;
    /// The indices of a list, without its values.
    std::shared_ptr<const IndexList> places(const ListOperand& operand) const;
    /// A value as bodies over whole tensors read it.  For a list that specifies most elements it is all
    /// values and a mask, made once for the bodies of a call.
    const Argument& whole(ValueId id);
    /// The arguments of a body, those at the coordinates gathered.
    std::vector<Argument> operands(const Graph& body, std::span<const BodyOperand> operands,
                                   const list_kernels::CoordinateSet* coordinates);

private:
    Result take_result(ValueId id);
    using Value =
        std::variant<std::monostate, Argument, Result, std::shared_ptr<const list_kernels::CoordinateSet>,
                     std::shared_ptr<const SampledPositions>>;
    const Value& made(ValueId id) const { return made_[static_cast<std::size_t>(id) - arguments_.size()]; }
    Value& made(ValueId id) { return made_[static_cast<std::size_t>(id) - arguments_.size()]; }

    std::span<const Argument> arguments_;
    std::vector<Value> made_;             // by stages
    std::map<ValueId, Argument> spread_;  // lists as all values and a mask
};

}  // namespace frisket::planning
