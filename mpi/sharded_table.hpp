// SPDX-License-Identifier: MIT
// Stores the rows of a table on the ranks that own them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../runtime/kernel/argument.hpp"
#include "../runtime/tensor/tensor.hpp"
#include "communicator.hpp"
#include "partition.hpp"

namespace frisket::optim {
class AnyRule;
}

namespace frisket::mpi {

class Optimizer;
class ShardedTable;

/// Rows that are on their way.
class Lookup {
public:
    /// Waits for the rows: a tensor of the ids' shape and then a row's.  To be called once.
    /// Errors: ValueError at the second call.
    AnyTensor wait();

private:
    friend class ShardedTable;
    struct Rows;
    explicit Lookup(std::shared_ptr<Rows> rows) : rows_(std::move(rows)) {}
    std::shared_ptr<Rows> rows_;
};

/// A tensor whose rows (all that is under one index of the first dimension) belong to ranks.  All ranks make
/// it alike, and call its functions together, in one order.  Copies share rows.
/// Errors: where one rank has one, all throw an Error which names that rank, and nothing is changed.
class ShardedTable {
public:
    /// Settings of a table.
    struct Options {
        Partition partition = Partition::blocks();  ///< which rank owns a row
        std::string name = "table";                 ///< its name in messages
    };

    /// A table of zeros.
    /// Shape: rank 1 or more.
    /// Errors: ShapeError, DTypeError of a dtype that no parameter has, ValueError if ranks give other
    /// shapes, dtypes or options, or of a partition that gives a row to no rank.
    ShardedTable(const Communicator& communicator, DType dtype, Shape shape, const Options& options);
    /// A table of zeros whose rows are shared out in blocks.
    ShardedTable(const Communicator& communicator, DType dtype, Shape shape)
        : ShardedTable(communicator, dtype, std::move(shape), Options()) {}

    /// A table whose element at a row-major position of the whole is `initial(position)`.
    template <class T>
    static ShardedTable filled(const Communicator& communicator, Shape shape,
                               const std::function<T(std::int64_t position)>& initial,
                               const Options& options) {
        ShardedTable table(communicator, dtype_of<T>, std::move(shape), options);
        table.fill([&](const AnyTensor& local) {
            T* to = local.size() == 0 ? nullptr : static_cast<T*>(local.data());
            const std::int64_t rows = local.size() == 0 ? 0 : local.shape()[0];
            for (std::int64_t row = 0; row < rows; ++row) {
                const std::int64_t first = table.placement().row(row) * (local.size() / rows);
                for (std::int64_t i = 0; i < local.size() / rows; ++i) *to++ = initial(first + i);
            }
        });
        return table;
    }
    /// A table whose rows are shared out in blocks, of elements by position.
    template <class T>
    static ShardedTable filled(const Communicator& communicator, Shape shape,
                               const std::function<T(std::int64_t position)>& initial) {
        return filled<T>(communicator, std::move(shape), initial, Options());
    }
    /// A table of rows that ranks have, each with any of them: `rows` says which, `values` has one for each.
    /// Errors: IndexError, and ValueError for a row that no rank gives, or two.
    static ShardedTable of_rows(const Communicator& communicator, Shape shape,
                                const Tensor<const std::int64_t>& rows, const AnyTensor& values,
                                const Options& options);

    /// The table `options.name` of a checkpoint that mpi::Optimizer::save wrote with any number of ranks and
    /// any partition, without an optimizer: to look up, or to train anew.
    /// Errors: IoError if there is none, or if its files do not belong together.
    static ShardedTable loaded(const Communicator& communicator, const std::string& folder,
                               const Options& options);

    const Communicator& communicator() const noexcept;  ///< its ranks
    const Shape& shape() const noexcept;                ///< shape of the whole table
    DType dtype() const noexcept;                       ///< dtype of its elements
    const std::string& name() const noexcept;           ///< its name in messages
    const Placement& placement() const noexcept;        ///< rows of this rank
    /// The rows of this rank, in the order of placement(): memory of the table.
    const AnyTensor& local() const noexcept;

    /// Rows by number, each fetched once from its owner: a tensor of the ids' shape and then a row's.
    /// Errors: IndexError.
    AnyTensor lookup(const AnyTensor& ids) const;
    /// Begins to fetch rows; what they hold now is what wait() gives, whatever steps come before it.
    /// Errors: as lookup.
    Lookup start_lookup(const AnyTensor& ids) const;
    /// The whole table, on every rank.
    AnyTensor gathered() const;

    /// Says by which rule step() updates the table.
    /// Errors: as mpi::Optimizer.
    void optimize_with(const optim::AnyRule& rule);
    /// Updates the table by a gradient of the whole table's shape in layout rows, coo or csr, of which every
    /// rank gives the part of its own batch; `{}`: it has none.  Duplicates are summed in the order of ranks,
    /// then in that of the list, so that the result is that of one list of all.
    /// Errors: ValueError without a rule; those of mpi::Optimizer::step.
    void step(const Argument& gradient);

private:
    friend class Optimizer;
    struct State;
    explicit ShardedTable(std::shared_ptr<State> state) : state_(std::move(state)) {}
    /// A table of the same rows that keeps no optimizer, so that an optimizer may keep it.
    ShardedTable rows_alone() const;
    void fill(const std::function<void(const AnyTensor& local)>& write) const;
    std::shared_ptr<State> state_;
};

}  // namespace frisket::mpi
