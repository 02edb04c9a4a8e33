// SPDX-License-Identifier: MIT
// Internal: messages between the ranks of a communicator.
#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/tensor/error.hpp"
#include "../runtime/tensor/index_list.hpp"
#include "../runtime/tensor/tensor.hpp"
#include "calls.hpp"
#include "communicator.hpp"

namespace frisket::mpi::detail {

using Bytes = runtime::PooledVector<std::byte>;
class Watch;

/// Ranks, and the stored state of their messages.
class Channel {
public:
    Channel(std::unique_ptr<Transport> transport, const CommunicatorOptions& options);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    const CommunicatorOptions& options() const noexcept { return options_; }
    Transport& transport() noexcept { return *transport_; }
    Traffic traffic = {};
    Calls calls;

    /// The tag of the next messages: one for each exchange, so that several can be under way.
    int next_tag() noexcept;
    /// A number for each rank, and one from each.  Takes no memory.
    void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from);
    /// Numbers of all ranks, as many of each.  Takes no memory.
    void all_gather(std::span<const std::int64_t> own, std::span<std::int64_t> all);
    /// A number of all ranks, until the next call.  Takes no memory.
    std::span<const std::int64_t> all_gather(std::int64_t own);
    /// Runs messages of a call.  Where MPI refuses them, as of other calls, the watch may name both calls.
    /// Errors: IoError that names this rank and its call.
    template <class Send>
    void guarded(const Send& send) {
        try {
            send();
        } catch (const Error& error) { refuse_messages(error); }
    }
    /// A text of one rank, on all.
    std::string broadcast(int root, const std::string& text);

private:
    [[noreturn]] void refuse_messages(const Error& error) const;

    std::unique_ptr<Transport> transport_;
    CommunicatorOptions options_;
    int rank_, size_, tag_ = 0;
    std::vector<std::int64_t> numbers_;  // one of each rank
    std::unique_ptr<Watch> watch_;
};

/// A call of all ranks, as long as it runs.
class Call {
public:
    Call(Channel& channel, std::string_view verb, std::string_view of = {}) noexcept : channel_(channel) {
        channel_.calls.begin(verb, of);
    }
    ~Call() { channel_.calls.end(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

private:
    Channel& channel_;
};

/// A row-major contiguous tensor: itself, or a copy.
inline AnyTensor row_major(const AnyTensor& tensor) {
    return tensor.is_contiguous() ? tensor : tensor.clone();
}

/// The exception that a part of the work of this rank throws; null if it throws none.
template <class Work>
std::exception_ptr fault_of(const Work& work) {
    try {
        work();
    } catch (...) { return std::current_exception(); }
    return {};
}

/// Goes on if no rank has a fault, else throws on all: an Error of the code of the first one that has, which
/// names it.  A rank whose fault is none of frisket's throws it as it is.
/// Errors: on all ranks, ValueError naming a rank that makes another call than rank 0, and both calls.
void agree(Channel& channel, std::string_view where, const std::exception_ptr& fault);

/// A fact that must be the same on all ranks.
struct Fact {
    std::string name;
    std::string text;
};

/// Errors: on all ranks, ValueError naming a rank, the first fact that it has otherwise than rank 0, and
/// both.
void check_same(Channel& channel, std::string_view where, const std::vector<Fact>& facts);

/// Messages between spans whose lengths both sides know, each in parts of at most message_bytes.
class Messages {
public:
    /// Takes the memory that it needs for spans of these sizes in bytes, sent and received.
    Messages(Channel& channel, std::span<const std::int64_t> sent, std::span<const std::int64_t> received);
    /// Takes the tag of its messages, as all ranks do now.  Takes no memory, as what follows.
    void start() { tag_ = channel_->next_tag(); }
    void send(int to, std::span<const std::byte> bytes);
    void receive(int from, std::span<std::byte> bytes);
    void wait() {
        channel_->guarded([&] { flight_->wait(); });
    }

private:
    Channel* channel_;
    std::unique_ptr<Flight> flight_;
    int tag_ = 0;
};

/// Bytes for each rank, of which the receivers know nothing before.
class Exchange {
public:
    /// Says how many bytes go to each rank, takes memory for what comes, and begins to send.
    /// Errors: on all ranks, if one has no memory.
    Exchange(Channel& channel, std::string_view where, std::vector<Bytes> outgoing);
    /// Waits for the end of all messages.
    void wait();
    /// Bytes that came from a rank, after wait().
    std::span<const std::byte> from(int rank) const { return incoming_[static_cast<std::size_t>(rank)]; }

private:
    std::vector<Bytes> outgoing_, incoming_;
    std::optional<Messages> messages_;
};

/// Slices of a tensor, of which each rank sends its own to all other ranks.
class SharedSlices {
public:
    /// `slices`: where the elements of each rank begin, and their end.  Takes all memory that it needs.
    SharedSlices(Channel& channel, AnyTensor tensor, const std::vector<std::int64_t>& slices);
    /// Sends this rank's slice, and waits for the others'.
    void share();

private:
    std::span<std::byte> slice(int rank) const;
    Channel* channel_;
    AnyTensor tensor_;
    std::vector<std::int64_t> at_;  // bytes
    std::optional<Messages> messages_;
};

}  // namespace frisket::mpi::detail
