// SPDX-License-Identifier: MIT
// Declares the calls of MPI that the library needs.
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
    struct Requests;

    explicit Flight(std::unique_ptr<Requests> requests);
    ~Flight();
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    /// Takes memory for this number of messages.
    void reserve(std::size_t messages);
    /// Starts to send bytes, which stay where they are until wait() returns.
    void send(int to, int tag, std::span<const std::byte> bytes);
    /// Starts to receive bytes.
    void receive(int from, int tag, std::span<std::byte> bytes);
    /// Returns whether all of them are over.
    bool is_over();
    /// Waits until all of them are over.
    void wait();
    /// Cancels the requests that have not completed, and waits for all.
    void cancel();

private:
    std::unique_ptr<Requests> requests_;
};

/// A group of ranks, with messages of its own.
/// Errors: Error of code io, with the message of MPI.
class Transport {
public:
    struct Group;

    explicit Transport(std::unique_ptr<Group> group);
    ~Transport();
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    int rank() const;
    int size() const;
    /// Returns whether several threads may call at once.
    bool is_for_threads() const;
    /// A transport of the same ranks, with messages of its own.  All ranks call it.
    std::unique_ptr<Transport> apart() const;
    std::unique_ptr<Flight> flight();
    /// All-gather of equal-sized blocks, in rank order.  Collective, as are the functions below.
    void all_gather(std::span<const std::byte> own, std::span<std::byte> all);
    /// Sends a number to each rank, and receives one from each.
    void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from);
    void broadcast(int root, std::span<std::byte> bytes);
    /// Ends the processes of all ranks.
    void abort();

private:
    std::unique_ptr<Group> group_;
};

}  // namespace frisket::mpi::detail
