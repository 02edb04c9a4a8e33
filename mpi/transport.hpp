// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

/// Calls of MPI that the library needs, so that it is compiled once for every MPI: transport.cpp, which is
/// compiled with the user's, is the only source that knows one.
namespace frisket::mpi::detail {

/// Messages that are under way.  Its end waits for them.
class Flight {
public:
    virtual ~Flight() = default;
    /// Takes memory for so many messages.
    virtual void reserve(std::size_t messages) = 0;
    /// Starts to send bytes, which stay where they are until wait() returns.
    virtual void send(int to, int tag, std::span<const std::byte> bytes) = 0;
    /// Starts to receive bytes.
    virtual void receive(int from, int tag, std::span<std::byte> bytes) = 0;
    /// True if all of them are over.
    virtual bool is_over() = 0;
    /// Waits until all of them are over.
    virtual void wait() = 0;
    /// Takes back what has not been received.
    virtual void cancel() = 0;
};

/// A group of ranks, with messages of its own.
/// Errors: Error of code io, with what MPI says.
class Transport {
public:
    virtual ~Transport() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// True if several threads may call at once.
    virtual bool is_for_threads() const = 0;
    /// A transport of the same ranks, with messages of its own.  All ranks call it.
    virtual std::unique_ptr<Transport> apart() const = 0;
    virtual std::unique_ptr<Flight> flight() = 0;
    /// The bytes of all ranks, as many of each, in their order.  All ranks call it, as what follows.
    virtual void all_gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
    /// A number for each rank, and one from each.
    virtual void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) = 0;
    virtual void broadcast(int root, std::span<std::byte> bytes) = 0;
    /// Ends the processes of all ranks.
    virtual void abort() = 0;
};

}  // namespace frisket::mpi::detail
