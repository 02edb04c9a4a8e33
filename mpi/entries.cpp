// SPDX-License-Identifier: MIT
#include "entries.hpp"

#include "../runtime/layouts/layout_traits.hpp"

#include <cstring>
#include <utility>

namespace frisket::mpi {

namespace {

using detail::Bytes;

/// Places and values of a part.
struct Entries {
    const IndexList* places;
    AnyTensor values;  // contiguous
    AnyMasked held;
};

Entries entries_of(const Argument& part, Layout layout) {
    const AnyMasked host = part.masked().to(Device());
    Entries entries{nullptr, {}, host.layout() == layout ? host : host.to(layout)};
    entries.places = entries.held.index().get();
    entries.values = detail::row_major(entries.held.values());
    return entries;
}

template <class T>
void append(Bytes& to, const T* from, std::size_t bytes) {
    const auto* const first = reinterpret_cast<const std::byte*>(from);
    to.insert(to.end(), first, first + bytes);
}

/// Entries of one rank in a message.
struct Message {
    std::int64_t count = 0;
    std::span<const std::byte> places, values;
};

Message read(std::span<const std::byte>& from, std::int64_t entry_bytes) {
    Message message;
    std::memcpy(&message.count, from.data(), sizeof(message.count));
    from = from.subspan(sizeof(message.count));
    const auto take = [&](std::int64_t each) {
        const auto bytes = static_cast<std::size_t>(message.count * each);
        const auto taken = from.first(bytes);
        from = from.subspan(bytes);
        return taken;
    };
    message.places = take(sizeof(std::int64_t));
    message.values = take(entry_bytes);
    return message;
}

}  // namespace

std::int64_t TableShape::row_length() const {
    std::int64_t length = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) length *= shape[i];
    return length;
}

std::int64_t TableShape::entry_bytes(Layout layout) const {
    return (layout == Layout::rows ? row_length() : 1) * bytes_of(dtype);
}

Layout list_layout(const std::string& where, const Argument& part) {
    const Layout layout = part.layout();
    if (runtime::lists_rows(layout)) return Layout::rows;
    if (runtime::has_ranks(layout)) return Layout::coo;
    throw LayoutError(
        where + " has layout " + std::string(name_of(layout)) +
        ", wanted rows, coo or csr, of which entries are sent to the ranks that own them: write "
        "gradient.to(Layout::coo)");
}

void pack(const TableShape& table, const Placement& placement, const std::vector<Argument>& parts,
          std::vector<Bytes>& outgoing) {
    const Layout layout = parts.empty() ? Layout::coo : list_layout("gradient", parts[0]);
    const std::int64_t in_row = layout == Layout::rows ? 1 : table.row_length();
    std::vector<Entries> all;
    std::vector<std::int64_t> counts(outgoing.size());
    runtime::PooledVector<int> owners;  // owners of all entries
    for (const Argument& part : parts) {
        const Entries& entries = all.emplace_back(entries_of(part, layout));
        for (std::int64_t i = 0; i < entries.places->size(); ++i) {
            owners.push_back(placement.owner((*entries.places)[i] / in_row));
            ++counts[static_cast<std::size_t>(owners.back())];
        }
    }
    const auto bytes = static_cast<std::size_t>(table.entry_bytes(layout));
    std::vector<std::byte*> place(outgoing.size()), value(outgoing.size());
    for (std::size_t rank = 0; rank < outgoing.size(); ++rank) {
        Bytes& message = outgoing[rank];
        append(message, &counts[rank], sizeof(counts[rank]));
        const std::size_t at = message.size(), count = static_cast<std::size_t>(counts[rank]);
        message.resize(at + count * (sizeof(std::int64_t) + bytes));
        place[rank] = message.data() + at;
        value[rank] = place[rank] + count * sizeof(std::int64_t);
    }
    auto owner = owners.begin();
    for (const Entries& entries : all) {
        const auto* from = static_cast<const std::byte*>(entries.values.data());
        for (std::int64_t i = 0; i < entries.places->size(); ++i, from += bytes) {
            const std::int64_t at = (*entries.places)[i];
            const auto rank = static_cast<std::size_t>(*owner++);
            std::memcpy(place[rank], &at, sizeof(at));
            std::memcpy(value[rank], from, bytes);
            place[rank] += sizeof(at);
            value[rank] += bytes;
        }
    }
}

AnyMasked unpack(const TableShape& table, const Placement& placement, Layout layout,
                 std::span<std::span<const std::byte>> incoming) {
    const std::int64_t each = table.entry_bytes(layout), in_row = table.row_length();
    std::vector<Message> messages;
    std::int64_t count = 0;
    for (std::span<const std::byte>& from : incoming) count += messages.emplace_back(read(from, each)).count;
    Shape shape = table.shape, values_shape{count};
    shape[0] = placement.count();
    if (layout == Layout::rows) {
        values_shape = table.shape;
        values_shape[0] = count;
    }
    const AnyTensor values(table.dtype, values_shape);
    auto* to = count > 0 ? static_cast<std::byte*>(values.data()) : nullptr;
    const auto local = [&](std::int64_t place) {
        return layout == Layout::rows ? placement.local(place)
                                      : placement.local(place / in_row) * in_row + place % in_row;
    };
    const auto write = [&](auto* places) {
        for (const Message& message : messages) {
            for (std::int64_t i = 0; i < message.count; ++i) {
                std::int64_t place = 0;
                std::memcpy(&place, message.places.data() + static_cast<std::size_t>(i) * sizeof(place),
                            sizeof(place));
                *places++ = static_cast<std::remove_reference_t<decltype(*places)>>(local(place));
            }
        }
    };
    for (const Message& message : messages) {
        if (!message.values.empty()) std::memcpy(to, message.values.data(), message.values.size());
        to += message.values.size();
    }
    const std::int64_t bound = layout == Layout::rows ? shape[0] : shape[0] * in_row;
    return AnyMasked::indexed(layout, std::move(shape), IndexList::written(count, bound, write), values);
}

}  // namespace frisket::mpi
