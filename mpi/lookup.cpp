// SPDX-License-Identifier: MIT
// Rows of a table, fetched from their owners.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "channel.hpp"
#include "sharded_table_state.hpp"

namespace frisket::mpi {

using detail::agree;
using detail::Bytes;
using detail::fault_of;

namespace {

/// Numbers of rows that are asked for, each once, by the rank that owns them.
struct Wanted {
    std::vector<std::vector<std::int64_t>> of_rank;
    /// For each id, its rank and the place among the rows of that.
    std::vector<std::pair<int, std::int64_t>> places;
};

Wanted wanted_rows(const ShardedTable& table, const std::vector<std::int64_t>& ids) {
    Wanted wanted;
    wanted.of_rank.resize(static_cast<std::size_t>(table.communicator().size()));
    wanted.places.resize(ids.size());
    std::vector<std::size_t> order(ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return ids[i]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int64_t id = ids[order[i]];
        if (i > 0 && ids[order[i - 1]] == id) {
            wanted.places[order[i]] = wanted.places[order[i - 1]];
            continue;
        }
        const int rank = table.placement().owner(id);
        auto& rows = wanted.of_rank[static_cast<std::size_t>(rank)];
        wanted.places[order[i]] = {rank, static_cast<std::int64_t>(rows.size())};
        rows.push_back(id);
    }
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

std::vector<Bytes> ids_for_owners(const Wanted& wanted) {
    std::vector<Bytes> outgoing;
    for (const std::vector<std::int64_t>& rows : wanted.of_rank) {
        const std::span bytes = std::as_bytes(std::span(rows));
        outgoing.emplace_back(bytes.begin(), bytes.end());
    }
    return outgoing;
}

/// The rows that a rank asks for.
Bytes rows_of(const ShardedTable& table, std::span<const std::byte> ids, std::size_t row_bytes) {
    Bytes found(ids.size() / sizeof(std::int64_t) * row_bytes);
    const auto* const from = found.empty() ? nullptr : static_cast<const std::byte*>(table.local().data());
    for (std::size_t i = 0; i * row_bytes < found.size(); ++i) {
        std::int64_t id = 0;
        std::memcpy(&id, ids.data() + i * sizeof(id), sizeof(id));
        std::memcpy(found.data() + i * row_bytes,
                    from + static_cast<std::size_t>(table.placement().local(id)) * row_bytes, row_bytes);
    }
    return found;
}

}  // namespace

struct Lookup::Rows {
    std::vector<std::pair<int, std::int64_t>> places;
    std::size_t row_bytes;
    AnyTensor result;
    std::optional<detail::Exchange> exchange;
    Communicator communicator;  // outlives the messages
};

Lookup ShardedTable::start_lookup(const AnyTensor& ids) const {
    detail::Channel& channel = communicator().channel();
    const auto row_bytes = static_cast<std::size_t>(state_->whole.entry_bytes(Layout::rows));
    std::shared_ptr<Lookup::Rows> made;
    std::vector<Bytes> outgoing;
    agree(channel, name(), fault_of([&] {
              Wanted wanted = wanted_rows(*this, checked_ids(*this, ids));
              Shape shape = ids.shape();
              shape.insert(shape.end(), this->shape().begin() + 1, this->shape().end());
              outgoing = ids_for_owners(wanted);
              made = std::make_shared<Lookup::Rows>(Lookup::Rows{
                  std::move(wanted.places), row_bytes, AnyTensor(dtype(), shape), {}, communicator()});
          }));
    detail::Exchange asked(channel, name(), std::move(outgoing));
    asked.wait();
    std::vector<Bytes> answers;
    agree(channel, name(), fault_of([&] {
              for (int rank = 0; rank < channel.size(); ++rank)
                  answers.push_back(rows_of(*this, asked.from(rank), row_bytes));
          }));
    made->exchange.emplace(channel, name(), std::move(answers));
    return Lookup(std::move(made));
}

AnyTensor Lookup::wait() {
    if (!rows_->exchange) throw ValueError("lookup: its rows were taken already: wait() is called once");
    rows_->exchange->wait();
    auto* to = rows_->result.size() == 0 ? nullptr : static_cast<std::byte*>(rows_->result.data());
    if (to != nullptr)
        for (const auto& [rank, place] : rows_->places) {
            std::memcpy(
                to, rows_->exchange->from(rank).data() + static_cast<std::size_t>(place) * rows_->row_bytes,
                rows_->row_bytes);
            to += rows_->row_bytes;
        }
    rows_->exchange.reset();
    return std::move(rows_->result);
}

AnyTensor ShardedTable::lookup(const AnyTensor& ids) const { return start_lookup(ids).wait(); }

AnyTensor ShardedTable::gathered() const { return lookup(arange<std::int64_t>(shape()[0])); }

}  // namespace frisket::mpi
