// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "permutation.hpp"
#include "plan_values.hpp"
#include "segmented_reduce.hpp"

namespace frisket::plan {

/// Runs the stages of a plan that are list kernels.  Stages that move or reduce the same coordinates in the
/// same way give lists that share their indices.
class ListKernels {
public:
    explicit ListKernels(PlanValues& values) : values_(values) {}

    void run(const LocateStage& stage);
    void run(const ReduceStage& stage);
    void run(const PermuteStage& stage);
    void run(const ViewStage& stage);
    void run(const MultiplyStage& stage);
    void run(const SampleStage& stage);
    void run(const ConvertStage& stage);

    /// Gives up what was kept for stages that read a value, which has been given up.
    void release(ValueId value);

private:
    using Lists = std::vector<std::shared_ptr<const IndexList>>;
    using Numbers = std::vector<std::int64_t>;

    void keep_list(ValueId made, const Shape& shape, const SparseVector& list);
    SparseVector restricted_to(SparseVector list, ValueId mask) const;
    SparseVector factor(const Factor& factor, DType dtype) const;

    PlanValues& values_;
    std::map<std::tuple<Lists, Shape, Numbers, Numbers>, Permutation> permutations_;
    std::map<std::tuple<ValueId, Shape, Numbers>, ListSlices> slices_;
};

}  // namespace frisket::plan
