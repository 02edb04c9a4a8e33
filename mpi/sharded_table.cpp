// SPDX-License-Identifier: MIT
#include "sharded_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "channel.hpp"
#include "sharded_table_state.hpp"

namespace frisket::mpi {

using detail::agree;
using detail::Bytes;
using detail::fault_of;

namespace {

void check_shape(const std::string& name, DType dtype, const Shape& shape) {
    if (shape.empty())
        throw ShapeError(name + " has shape [], wanted rank 1 or more: its first dimension is that of rows");
    for (const std::int64_t extent : shape)
        if (extent < 0) throw ShapeError(name + " has shape " + to_string(shape) + ": extents are 0 or more");
    if (!info_of(dtype).is_float)
        throw DTypeError(name + " is " + std::string(name_of(dtype)) +
                         ", wanted float32, float64, float16 or bfloat16");
}

}  // namespace

ShardedTable::ShardedTable(const Communicator& communicator, DType dtype, Shape shape,
                           const Options& options) {
    detail::Channel& channel = communicator.channel();
    const std::string& name = options.name;
    const detail::Call call(channel, "table", name);
    agree(channel, name, fault_of([&] { check_shape(name, dtype, shape); }));
    check_same(channel, "table",
               {{"the name", name},
                {"the shape of " + name, to_string(shape)},
                {"the dtype of " + name, std::string(name_of(dtype))},
                {"the partition of " + name, options.partition.name()}});
    const auto make = [&] {
        Placement placement(options.partition, PartitionSize::of(shape, dtype, channel.size()),
                            channel.rank());
        Shape local = shape;
        local[0] = placement.count();
        state_ = std::make_shared<State>(State{
            communicator, {std::move(shape), dtype}, name, std::move(placement), AnyTensor(dtype, local)});
    };
    agree(channel, name, fault_of(make));
    // Functions of the user's may give a row to two ranks, or to none.
    std::int64_t count = 0;
    for (const std::int64_t one : channel.all_gather(state_->placement.count())) count += one;
    if (count != state_->whole.shape[0])
        throw ValueError(name + ": partition " + options.partition.name() +
                         " is not the same function on all ranks: of " +
                         std::to_string(state_->whole.shape[0]) + " rows they own " + std::to_string(count));
}

const Communicator& ShardedTable::communicator() const noexcept { return state_->communicator; }
const Shape& ShardedTable::shape() const noexcept { return state_->whole.shape; }
DType ShardedTable::dtype() const noexcept { return state_->whole.dtype; }
const std::string& ShardedTable::name() const noexcept { return state_->name; }
const Placement& ShardedTable::placement() const noexcept { return state_->placement; }
const AnyTensor& ShardedTable::local() const noexcept { return state_->local; }

ShardedTable ShardedTable::rows_alone() const {
    return ShardedTable(
        std::make_shared<State>(State{communicator(), state_->whole, name(), placement(), local()}));
}

void ShardedTable::fill(const std::function<void(const AnyTensor& local)>& write) const {
    const detail::Call call(communicator().channel(), "fill of", name());
    agree(communicator().channel(), name(), fault_of([&] { write(local()); }));
}

ShardedTable ShardedTable::of_rows(const Communicator& communicator, Shape shape,
                                   const Tensor<const std::int64_t>& rows, const AnyTensor& values,
                                   const Options& options) {
    detail::Channel& channel = communicator.channel();
    const detail::Call call(channel, "table of rows,", options.name);
    ShardedTable table(communicator, values.dtype(), shape, options);
    const std::string& name = options.name;
    const Layout layout = Layout::rows;
    std::vector<Bytes> outgoing(static_cast<std::size_t>(channel.size()));
    agree(channel, name, fault_of([&] {
              pack(table.state_->whole, table.placement(), {Argument(AnyMasked::rows(shape, rows, values))},
                   outgoing);
          }));
    detail::Exchange exchange(channel, name, std::move(outgoing));
    exchange.wait();
    table.fill([&](const AnyTensor& local) {
        std::vector<std::span<const std::byte>> incoming;
        for (int rank = 0; rank < channel.size(); ++rank) incoming.push_back(exchange.from(rank));
        const AnyMasked given = unpack(table.state_->whole, table.placement(), layout, incoming);
        const IndexList& list = *given.index();
        std::vector<char> is_given(static_cast<std::size_t>(table.placement().count()));
        const auto bytes = static_cast<std::size_t>(table.state_->whole.entry_bytes(layout));
        const auto refuse = [&](std::int64_t local_row, const char* fault) {
            throw ValueError("row " + std::to_string(table.placement().row(local_row)) + " is given " +
                             fault + ": give each row of the table on one rank");
        };
        for (std::int64_t i = 0; i < list.size(); ++i) {
            if (std::exchange(is_given[static_cast<std::size_t>(list[i])], 1) != 0) refuse(list[i], "twice");
            std::memcpy(static_cast<std::byte*>(local.data()) + static_cast<std::size_t>(list[i]) * bytes,
                        static_cast<const std::byte*>(given.values().data()) +
                            static_cast<std::size_t>(i) * bytes,
                        bytes);
        }
        const auto missing = std::ranges::find(is_given, 0);
        if (missing != is_given.end()) refuse(missing - is_given.begin(), "by no rank");
    });
    return table;
}

void ShardedTable::optimize_with(const optim::AnyRule& rule) {
    state_->optimizer = std::make_unique<Optimizer>(rule, std::vector<Parameter>{{name(), *this}});
}

void ShardedTable::step(const Argument& gradient) {
    if (!state_->optimizer)
        throw ValueError(name() +
                         ": step: there is no rule: call optimize_with(rule), or give the table to an "
                         "mpi::Optimizer");
    state_->optimizer->step({Gradient(gradient)});
}

}  // namespace frisket::mpi
