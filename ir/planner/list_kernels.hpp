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
#include "spmm.hpp"

namespace frisket::planning {

/// Runs the stages of a plan that are list kernels.  Stages that move or reduce the same coordinates in the
/// same way give lists that share their indices.
class ListKernels {
public:
    ListKernels(PlanValues& values, RunTasks run) : values_(values), run_(std::move(run)) {}

    void run(const LocateStage& stage);
    void run(const ReduceStage& stage);
    void run(const PermuteStage& stage);
    void run(const ViewStage& stage);
    void run(const MultiplyStage& stage);
    void run(const SampledProductStage& stage);
    void run(const SampleStage& stage);
    void run(const ConvertStage& stage);
    void run(const GatheredSumStage& stage);

    /// Gives up what was kept for stages that read values that have been given up.
    void release();

private:
    using Lists = std::vector<std::shared_ptr<const IndexList>>;
    using Numbers = std::vector<std::int64_t>;

    void keep_list(ValueId made, const Shape& shape, const SparseVector& list);
    SparseVector restricted_to(SparseVector list, ValueId mask) const;
    AnyTensor matrix(ValueId value, DType dtype, const Shape& shape) const;
    FactorMatrix factor(const Factor& factor, DType dtype, Shape shape) const;

    PlanValues& values_;
    RunTasks run_;
    std::map<std::tuple<Lists, Shape, Numbers>, std::shared_ptr<const Permutation>> joined_;
};

}  // namespace frisket::planning
