// SPDX-License-Identifier: MIT
// Rows of a table, fetched from their owners.
#include <algorithm>
#include <cstring>
#include <utility>

#include "../runtime/tensor/result_memory.hpp"
#include "channel.hpp"
#include "sharded_table_state.hpp"

namespace frisket::mpi {

using detail::agree;
using detail::Bytes;
using detail::fault_of;

namespace detail {

/// Source of a row of the result.
struct RowPlace {
    int rank;         // its owner
    std::int64_t at;  // place among the rows of this rank, or among those that the owner sends
};

}  // namespace detail
using detail::RowPlace;

namespace {

/// Numbers of rows that are asked of other ranks, each once, in ascending order.
struct Wanted {
    std::vector<Bytes> of_rank;
    runtime::PooledVector<RowPlace> places;  // one for each id
};

/// Calls body(id, positions) for each id once, in ascending order, with the positions that it has.
void for_each_id(const IndexList& ids, const auto& body) {
    if (ids.is_coalesced()) {
        for (std::int64_t i = 0; i < ids.size(); ++i) body(ids[i], std::span<const std::int64_t>(&i, 1));
        return;
    }
    const IndexList& unique = ids.unique();
    const CoalescePlan& plan = ids.plan();
    for (std::size_t i = 0; i + 1 < plan.start.size(); ++i) {
        const auto first = static_cast<std::size_t>(plan.start[i]),
                   last = static_cast<std::size_t>(plan.start[i + 1]);
        body(unique[static_cast<std::int64_t>(i)],
             std::span<const std::int64_t>(plan.order).subspan(first, last - first));
    }
}

Wanted wanted_rows(const ShardedTable& table, const std::vector<std::int64_t>& ids) {
    constexpr std::size_t each = sizeof(std::int64_t);
    const Placement& placement = table.placement();
    Wanted wanted;
    wanted.of_rank.resize(static_cast<std::size_t>(table.communicator().size()));
    wanted.places.resize(ids.size());
    runtime::PooledVector<std::int64_t> others, positions;  // ids of other ranks
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const int rank = placement.owner(ids[i]);
        wanted.places[i].rank = rank;
        if (rank == table.communicator().rank()) {
            wanted.places[i].at = placement.local(ids[i]);
        } else {
            others.push_back(ids[i]);
            positions.push_back(static_cast<std::int64_t>(i));
        }
    }
    const IndexList list(others.data(), std::ssize(others), std::max(placement.rows(), std::int64_t{1}));
    for_each_id(list, [&](std::int64_t id, std::span<const std::int64_t> found) {
        const auto place = [&](std::int64_t i) -> RowPlace& {
            return wanted.places[static_cast<std::size_t>(positions[static_cast<std::size_t>(i)])];
        };
        Bytes& rows = wanted.of_rank[static_cast<std::size_t>(place(found[0]).rank)];
        for (const std::int64_t i : found) place(i).at = static_cast<std::int64_t>(rows.size() / each);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&id);
        rows.insert(rows.end(), bytes, bytes + each);
    });
    return wanted;
}

std::vector<std::int64_t> checked_ids(const ShardedTable& table, const AnyTensor& given) {
    const AnyTensor ids = given.to(Device());
    std::vector<std::int64_t> found;
    if (ids.dtype() == DType::int32)
        for (const std::int32_t id : Tensor<const std::int32_t>(ids).to_vector()) found.push_back(id);
    else if (ids.dtype() == DType::int64)
        found = Tensor<const std::int64_t>(ids).to_vector();
    else
        throw DTypeError("lookup: ids are " + std::string(name_of(ids.dtype())) + ", wanted int64 or int32");
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] < 0 || found[i] >= table.shape()[0])
            throw IndexError("lookup: id " + std::to_string(i) + " is " + std::to_string(found[i]) +
                             ", the table has rows 0 to " + std::to_string(table.shape()[0] - 1));
    return found;
}

/// Copies rows of `bytes` each, side by side: to[i] = from(i), in places that nothing has fetched before.
void copy_rows(std::byte* to, std::size_t bytes, std::size_t count, const auto& from) {
    constexpr std::size_t ahead = 8, line = 64;
    for (std::size_t i = 0; i < count; ++i) {
        if (const std::byte* next = i + ahead < count ? from(i + ahead) : nullptr)
            for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(next + at);
        if (const std::byte* row = from(i)) std::memcpy(to + i * bytes, row, bytes);
    }
}

/// The first byte of this rank's rows; null if it has no rows.
const std::byte* own_rows(const ShardedTable& table) {
    return table.local().size() == 0 ? nullptr : static_cast<const std::byte*>(table.local().data());
}

/// The rows that a rank asks for.
Bytes rows_of(const ShardedTable& table, std::span<const std::byte> ids, std::size_t row_bytes) {
    const std::size_t count = ids.size() / sizeof(std::int64_t);
    Bytes found(count * row_bytes);
    if (found.empty()) return found;
    runtime::PooledVector<std::size_t> at(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t id = 0;
        std::memcpy(&id, ids.data() + i * sizeof(id), sizeof(id));
        at[i] = static_cast<std::size_t>(table.placement().local(id)) * row_bytes;
    }
    const std::byte* const rows = own_rows(table);
    copy_rows(found.data(), row_bytes, count, [&](std::size_t i) { return rows + at[i]; });
    return found;
}

}  // namespace

struct Lookup::Rows {
    runtime::PooledVector<RowPlace> places;
    std::size_t row_bytes;
    AnyTensor result;
    std::optional<detail::Exchange> exchange;
    Communicator communicator;  // outlives the messages

    /// Writes the rows of the result whose place is one of those wanted; `row` gives its first byte.
    void write(const auto& is_wanted, const auto& row) const {
        if (result.size() == 0) return;
        copy_rows(static_cast<std::byte*>(result.data()), row_bytes, places.size(), [&](std::size_t i) {
            const RowPlace& place = places[i];
            return is_wanted(place.rank) ? row(place) + static_cast<std::size_t>(place.at) * row_bytes
                                         : nullptr;
        });
    }
};

Lookup ShardedTable::start_lookup(const AnyTensor& ids) const {
    detail::Channel& channel = communicator().channel();
    const detail::Call call(channel, "lookup of", name());
    const auto row_bytes = static_cast<std::size_t>(state_->whole.entry_bytes(Layout::rows));
    std::shared_ptr<Lookup::Rows> made;
    std::vector<Bytes> outgoing;
    agree(channel, name(), fault_of([&] {
              Wanted wanted = wanted_rows(*this, checked_ids(*this, ids));
              Shape shape = ids.shape();
              shape.insert(shape.end(), this->shape().begin() + 1, this->shape().end());
              outgoing = std::move(wanted.of_rank);
              made = std::make_shared<Lookup::Rows>(Lookup::Rows{std::move(wanted.places),
                                                                 row_bytes,
                                                                 runtime::result_tensor(dtype(), shape),
                                                                 {},
                                                                 communicator()});
          }));
    detail::Exchange asked(channel, name(), std::move(outgoing));
    asked.wait();
    std::vector<Bytes> answers;
    agree(channel, name(), fault_of([&] {
              for (int rank = 0; rank < channel.size(); ++rank)
                  answers.push_back(rows_of(*this, asked.from(rank), row_bytes));
          }));
    made->exchange.emplace(channel, name(), std::move(answers));
    made->write([&](int rank) { return rank == channel.rank(); },
                [rows = own_rows(*this)](const RowPlace&) { return rows; });
    return Lookup(std::move(made));
}

AnyTensor Lookup::wait() {
    if (!rows_->exchange) throw ValueError("lookup: its rows were taken already: wait() is called once");
    rows_->exchange->wait();
    rows_->write([own = rows_->communicator.rank()](int rank) { return rank != own; },
                 [&](const RowPlace& place) { return rows_->exchange->from(place.rank).data(); });
    rows_->exchange.reset();
    return std::move(rows_->result);
}

AnyTensor ShardedTable::lookup(const AnyTensor& ids) const { return start_lookup(ids).wait(); }

AnyTensor ShardedTable::gathered() const { return lookup(arange<std::int64_t>(shape()[0])); }

}  // namespace frisket::mpi
