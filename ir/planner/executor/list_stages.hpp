// SPDX-License-Identifier: MIT
// Runs the stages of a plan that call list kernels.
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "../../../runtime/list_kernels/list_gather.hpp"
#include "../../../runtime/list_kernels/segmented_reduce.hpp"
#include "../../../runtime/list_kernels/spmm.hpp"
#include "../plan_values.hpp"

namespace frisket::planning {

/// Runs the stages of a plan that are list kernels.  Stages that move or reduce the same coordinates in the
/// same way give lists that share their indices.
class ListStages {
public:
    ListStages(PlanValues& values, list_kernels::RunTasks run) : values_(values), run_(std::move(run)) {}

    void run(const LocateStage& stage);
    void run(const ReduceStage& stage);
    void run(const PermuteStage& stage);
    void run(const ViewStage& stage);
    void run(const MultiplyStage& stage);
    void run(const SampledProductStage& stage);
    void run(const SampleStage& stage);
    void run(const ConvertStage& stage);
    void run(const GatheredSumStage& stage);

    /// Releases the data stored for stages that read values that have been released.  `value`: the last.
    void release(ValueId value);

private:
    using Lists = std::vector<std::shared_ptr<const IndexList>>;
    using Numbers = std::vector<std::int64_t>;

    void keep_list(ValueId made, const Shape& shape, const list_kernels::SparseVector& list,
                   Layout layout = Layout::coo);
    std::shared_ptr<const IndexList> positions_of(ValueId list) const;
    std::shared_ptr<const list_kernels::Permutation> permutation(const PermuteStage& stage,
                                                                 const Lists& lists);
    list_kernels::Permutation made_permutation(const PermuteStage& stage, const Lists& lists) const;
    const CompressedIndex* rows_of(const ListOperand& operand, const Shape& shape) const;
    std::vector<AnyTensor> indices_of_stage(const PermuteStage& stage) const;
    void scatter(const PermuteStage& stage);
    std::shared_ptr<const IndexList> shown_rows(const PermuteStage& stage) const;
    list_kernels::SparseVector restricted_to(list_kernels::SparseVector list, ValueId mask) const;
    AnyTensor matrix(ValueId value, DType dtype, const Shape& shape) const;
    AnyTensor matrices(ValueId value, DType dtype, std::int64_t count, const Shape& shape) const;
    list_kernels::FactorMatrix factor(const Factor& factor, DType dtype, Shape shape,
                                      std::int64_t batches) const;

    PlanValues& values_;
    list_kernels::RunTasks run_;
    std::map<std::pair<Lists, Numbers>, std::shared_ptr<const list_kernels::Permutation>> moved_;
    std::map<ValueId, std::shared_ptr<const IndexList>> positions_;  // positions of lists in csr or csc
};

}  // namespace frisket::planning
