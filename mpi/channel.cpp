// SPDX-License-Identifier: MIT
#include "channel.hpp"

#include "watch.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <thread>
#include <utility>

namespace frisket::mpi {

Communicator::Communicator(std::unique_ptr<detail::Transport> transport, const CommunicatorOptions& options)
    : channel_(std::make_shared<detail::Channel>(std::move(transport), options)) {}
int Communicator::rank() const noexcept { return channel_->rank(); }
int Communicator::size() const noexcept { return channel_->size(); }
Traffic Communicator::traffic() const noexcept { return channel_->traffic; }

namespace detail {

namespace {

/// MPI has tags up to 32767 at least.
constexpr int last_tag = 32'000;
/// Maximal bytes of a message of MPI.
constexpr std::int64_t most_bytes = std::numeric_limits<int>::max();

constexpr std::int64_t no_fault = -1;
constexpr int code_bits = 8;

/// A code of a fault, and a hash of the call in which it came.
std::int64_t stamped(std::int64_t code, const CallState& call) {
    const std::size_t hash =
        std::hash<std::string_view>()(call.text()) + static_cast<std::size_t>(call.number);
    return static_cast<std::int64_t>(hash << code_bits | static_cast<std::size_t>(code - no_fault));
}
std::int64_t code_in(std::int64_t stamp) { return (stamp & ((1 << code_bits) - 1)) + no_fault; }
std::int64_t call_in(std::int64_t stamp) { return stamp >> code_bits; }

/// Errors: on all ranks, ValueError if one makes another call than rank 0.
void check_same_call(Channel& channel, std::span<const std::int64_t> stamps) {
    const auto other = std::ranges::find_if(
        stamps, [&](std::int64_t stamp) { return call_in(stamp) != call_in(stamps[0]); });
    if (other == stamps.end()) return;
    const int rank = static_cast<int>(other - stamps.begin());
    const CallState own = channel.calls.last();
    const std::string call = "call " + std::to_string(own.number) + ", " + std::string(own.text()),
                      first = channel.broadcast(0, call), second = channel.broadcast(rank, call);
    throw ValueError("rank " + std::to_string(rank) + " makes " + second + ", and rank 0 makes " + first +
                     ": all ranks make the same calls in the same order");
}

/// Calls body(bytes) for the parts of a span that go as one message each.
template <class Span>
void for_each_message(const Channel& channel, Span bytes, const auto& body) {
    const auto most = static_cast<std::size_t>(channel.options().message_bytes);
    for (std::size_t at = 0; at < bytes.size(); at += most)
        body(bytes.subspan(at, std::min(most, bytes.size() - at)));
}

std::exception_ptr fault_of_options(const Transport& transport, const CommunicatorOptions& options) {
    return fault_of([&] {
        if (options.message_bytes < 1 || options.message_bytes > most_bytes)
            throw ValueError("option message_bytes is " + std::to_string(options.message_bytes) +
                             ", wanted 1 to " + std::to_string(most_bytes));
        if (options.time_out.count() < 0)
            throw ValueError("option time_out is " + std::to_string(options.time_out.count()) +
                             " ms, wanted 0 or more");
        if (options.time_out.count() > 0 && transport.size() > 1 && !transport.is_for_threads())
            throw ValueError("a time-out needs MPI initialised for several threads: write "
                             "frisket::mpi::Environment environment(argc, argv) for MPI_Init, or "
                             "MPI_Init_thread with MPI_THREAD_MULTIPLE, or a time_out of 0");
    });
}

}  // namespace

Channel::Channel(std::unique_ptr<Transport> transport, const CommunicatorOptions& options)
    : transport_(std::move(transport)),
      options_(options),
      rank_(transport_->rank()),
      size_(transport_->size()),
      numbers_(static_cast<std::size_t>(size_)) {
    agree(*this, "communicator", fault_of_options(*transport_, options));
    check_same(*this, "communicator",
               {{"frisket's version", FRISKET_VERSION},
                {"option message_bytes", std::to_string(options.message_bytes)},
                {"option time_out", std::to_string(options.time_out.count()) + " ms"}});
    if (options.time_out.count() > 0 && size_ > 1)
        watch_ = std::make_unique<Watch>(transport_->apart(), options.time_out, calls);
}
Channel::~Channel() = default;

int Channel::next_tag() noexcept { return tag_ = tag_ % last_tag + 1; }

void Channel::all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) {
    if (size_ == 1) {
        std::ranges::copy(to, from.begin());
        return;
    }
    guarded([&] { transport_->all_to_all(to, from); });
    traffic.control_bytes += static_cast<std::int64_t>(to.size() - 1) * 8;
}

void Channel::all_gather(std::span<const std::int64_t> own, std::span<std::int64_t> all) {
    if (size_ == 1) {
        std::ranges::copy(own, all.begin());
        return;
    }
    guarded([&] { transport_->all_gather(std::as_bytes(own), std::as_writable_bytes(all)); });
    traffic.control_bytes += static_cast<std::int64_t>(own.size()) * 8 * (size_ - 1);
}

void Channel::refuse_messages(const Error& error) const {
    constexpr std::chrono::seconds two_beats{2};
    if (watch_) std::this_thread::sleep_for(options_.time_out + two_beats);
    const CallState call = calls.last();
    raise(ErrorCode::io, "rank " + std::to_string(rank_) + ", in call " + std::to_string(call.number) + ", " +
                             std::string(call.text()) + ": " + error.text() +
                             ": all ranks make the same calls in the same order");
}

std::span<const std::int64_t> Channel::all_gather(std::int64_t own) {
    all_gather({&own, 1}, numbers_);
    return numbers_;
}

std::string Channel::broadcast(int root, const std::string& text) {
    auto length = static_cast<std::int64_t>(text.size());
    guarded([&] { transport_->broadcast(root, std::as_writable_bytes(std::span(&length, 1))); });
    std::string found = rank_ == root ? text : std::string(static_cast<std::size_t>(length), '\0');
    guarded([&] { transport_->broadcast(root, std::as_writable_bytes(std::span(found))); });
    if (rank_ == root) traffic.control_bytes += (length + 8) * (size_ - 1);
    return found;
}

void agree(Channel& channel, std::string_view where, const std::exception_ptr& fault) {
    if (channel.size() == 1) {
        if (fault) std::rethrow_exception(fault);
        return;
    }
    std::int64_t code = no_fault;
    std::string text;
    bool is_foreign = false;
    try {
        if (fault) std::rethrow_exception(fault);
    } catch (const Error& error) {
        code = static_cast<std::int64_t>(error.code());
        text = error.text();
    } catch (const std::bad_alloc&) {
        code = static_cast<std::int64_t>(ErrorCode::shape);
        text = "there is no memory for it";
    } catch (const std::exception& error) {
        code = static_cast<std::int64_t>(ErrorCode::value);
        text = error.what();
        is_foreign = true;
    } catch (...) {
        code = static_cast<std::int64_t>(ErrorCode::value);
        text = "an exception of the program's own";
        is_foreign = true;
    }
    const std::span<const std::int64_t> codes = channel.all_gather(stamped(code, channel.calls.last()));
    check_same_call(channel, codes);
    const auto first = std::ranges::find_if(codes, [](std::int64_t one) { return code_in(one) != no_fault; });
    if (first == codes.end()) return;
    const int rank = static_cast<int>(first - codes.begin());
    code = code_in(*first);
    text = channel.broadcast(rank, text);
    if (is_foreign) std::rethrow_exception(fault);
    raise(static_cast<ErrorCode>(code), std::string(where) + ": rank " + std::to_string(rank) + ": " + text);
}

void check_same(Channel& channel, std::string_view where, const std::vector<Fact>& facts) {
    if (channel.size() == 1) return;
    constexpr char end = '\0';
    std::string own;
    for (const Fact& fact : facts) own += fact.name + end + fact.text + end;
    const std::string first = channel.broadcast(0, own);
    std::size_t at = 0;
    const auto next = [&] {
        const std::size_t stop = std::min(first.find(end, at), first.size());
        std::string found = first.substr(std::min(at, first.size()), stop - std::min(at, stop));
        at = stop + 1;
        return found;
    };
    const auto compare = [&] {
        for (const Fact& fact : facts) {
            const std::string name = next(), text = next();
            if (name != fact.name)
                throw ValueError("it has " + fact.name + " where rank 0 has " +
                                 (name.empty() ? "nothing more" : name) + ": all ranks must give the same");
            if (text != fact.text)
                throw ValueError(fact.name + " is " + fact.text + ", rank 0 has " + text +
                                 ": all ranks must give the same");
        }
        if (at < first.size())
            throw ValueError("it lacks " + next() + ", which rank 0 has: all ranks must give the same");
    };
    agree(channel, where, fault_of(compare));
}

Messages::Messages(Channel& channel, std::span<const std::int64_t> sent,
                   std::span<const std::int64_t> received)
    : channel_(&channel), flight_(channel.transport().flight()) {
    const std::int64_t most = channel.options().message_bytes;
    std::int64_t messages = 0;
    for (const std::span<const std::int64_t> all : {sent, received})
        for (const std::int64_t bytes : all) messages += (bytes + most - 1) / most;
    flight_->reserve(static_cast<std::size_t>(messages));
}

void Messages::send(int to, std::span<const std::byte> bytes) {
    for_each_message(*channel_, bytes, [&](std::span<const std::byte> part) {
        flight_->send(to, tag_, part);
        ++channel_->traffic.messages;
    });
    channel_->traffic.bytes += static_cast<std::int64_t>(bytes.size());
}

void Messages::receive(int from, std::span<std::byte> bytes) {
    for_each_message(*channel_, bytes,
                     [&](std::span<std::byte> part) { flight_->receive(from, tag_, part); });
}

Exchange::Exchange(Channel& channel, std::string_view where, std::vector<Bytes> outgoing)
    : outgoing_(std::move(outgoing)) {
    std::vector<std::int64_t> sent, received;
    const auto own = static_cast<std::size_t>(channel.rank());
    agree(channel, where, fault_of([&] {
              sent.resize(outgoing_.size());
              received.resize(outgoing_.size());
              incoming_.resize(outgoing_.size());
              for (std::size_t i = 0; i < sent.size(); ++i)
                  sent[i] = i == own ? 0 : static_cast<std::int64_t>(outgoing_[i].size());
          }));
    channel.all_to_all(sent, received);
    agree(channel, where, fault_of([&] {
              for (std::size_t i = 0; i < received.size(); ++i)
                  incoming_[i].resize(static_cast<std::size_t>(received[i]));
              if (channel.size() > 1) messages_.emplace(channel, sent, received);
          }));
    incoming_[own].swap(outgoing_[own]);
    if (!messages_) return;
    messages_->start();
    for (int i = 1; i < channel.size(); ++i) {
        const int from = (channel.rank() + channel.size() - i) % channel.size();
        messages_->receive(from, incoming_[static_cast<std::size_t>(from)]);
    }
    for (int i = 1; i < channel.size(); ++i) {
        const int to = (channel.rank() + i) % channel.size();
        messages_->send(to, outgoing_[static_cast<std::size_t>(to)]);
    }
}

void Exchange::wait() {
    if (messages_) messages_->wait();
    messages_.reset();
    outgoing_.clear();
}

SharedSlices::SharedSlices(Channel& channel, AnyTensor tensor, const std::vector<std::int64_t>& slices)
    : channel_(&channel), tensor_(std::move(tensor)), at_(slices) {
    for (std::int64_t& at : at_) at *= bytes_of(tensor_.dtype());
    if (channel.size() == 1 || tensor_.size() == 0) return;
    std::vector<std::int64_t> sent(static_cast<std::size_t>(channel.size())), received(sent.size());
    for (int rank = 0; rank < channel.size(); ++rank) {
        if (rank == channel.rank()) continue;
        sent[static_cast<std::size_t>(rank)] = std::ssize(slice(channel.rank()));
        received[static_cast<std::size_t>(rank)] = std::ssize(slice(rank));
    }
    messages_.emplace(channel, sent, received);
}

std::span<std::byte> SharedSlices::slice(int rank) const {
    const std::int64_t first = at_[static_cast<std::size_t>(rank)],
                       last = at_[static_cast<std::size_t>(rank) + 1];
    return {static_cast<std::byte*>(tensor_.data()) + first, static_cast<std::size_t>(last - first)};
}

void SharedSlices::share() {
    if (!messages_) return;
    messages_->start();
    for (int rank = 0; rank < channel_->size(); ++rank)
        if (rank != channel_->rank()) messages_->receive(rank, slice(rank));
    for (int rank = 0; rank < channel_->size(); ++rank)
        if (rank != channel_->rank()) messages_->send(rank, slice(channel_->rank()));
    messages_->wait();
}

}  // namespace detail

}  // namespace frisket::mpi
