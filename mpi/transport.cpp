// SPDX-License-Identifier: MIT
// The calls of MPI; compiled with the MPI of the program that links it.
#include "transport.hpp"

#include <mpi.h>

#include <chrono>
#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "../runtime/tensor/error.hpp"
#include "environment.hpp"

namespace frisket::mpi {

namespace detail {

namespace {

/// Errors: Error of code io.
void check(int result, const char* call) {
    if (result == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(result, text, &length);
    raise(ErrorCode::io, std::string("MPI: ") + call + " failed: " + text);
}

int count_of(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        raise(ErrorCode::bug, "MPI: a message of " + std::to_string(bytes) + " bytes, which no int counts");
    return static_cast<int>(bytes);
}

class MpiFlight final : public Flight {
public:
    explicit MpiFlight(MPI_Comm communicator) : communicator_(communicator) {}
    ~MpiFlight() override {
        if (!requests_.empty())
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }
    MpiFlight(const MpiFlight&) = delete;
    MpiFlight& operator=(const MpiFlight&) = delete;

    void reserve(std::size_t messages) override { requests_.reserve(messages); }
    void send(int to, int tag, std::span<const std::byte> bytes) override {
        check(MPI_Isend(bytes.data(), count_of(bytes.size()), MPI_BYTE, to, tag, communicator_, next()),
              "MPI_Isend");
    }
    void receive(int from, int tag, std::span<std::byte> bytes) override {
        check(MPI_Irecv(bytes.data(), count_of(bytes.size()), MPI_BYTE, from, tag, communicator_, next()),
              "MPI_Irecv");
    }
    bool is_over() override {
        int is_over = 1;
        check(
            MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_over, MPI_STATUSES_IGNORE),
            "MPI_Testall");
        return is_over != 0;
    }
    void wait() override {
        check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
        requests_.clear();
    }
    void cancel() override {
        for (MPI_Request& request : requests_)
            if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
        wait();
    }

private:
    MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
    MPI_Comm communicator_;
    std::vector<MPI_Request> requests_;
};

class MpiTransport final : public Transport {
public:
    explicit MpiTransport(MPI_Comm communicator) {
        check(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(communicator_, &rank_);
        MPI_Comm_size(communicator_, &size_);
    }
    ~MpiTransport() override {
        int is_finalized = 0;
        MPI_Finalized(&is_finalized);
        // To free it is a call of all ranks, which one that fails cannot wait for.
        if (is_finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&communicator_);
    }
    MpiTransport(const MpiTransport&) = delete;
    MpiTransport& operator=(const MpiTransport&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    bool is_for_threads() const override {
        int level = MPI_THREAD_SINGLE;
        MPI_Query_thread(&level);
        return level == MPI_THREAD_MULTIPLE;
    }
    std::unique_ptr<Transport> apart() const override {
        return std::make_unique<MpiTransport>(communicator_);
    }
    std::unique_ptr<Flight> flight() override { return std::make_unique<MpiFlight>(communicator_); }
    void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
        const int count = count_of(own.size());
        check(MPI_Allgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, communicator_),
              "MPI_Allgather");
    }
    void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) override {
        check(MPI_Alltoall(to.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, communicator_),
              "MPI_Alltoall");
    }
    void broadcast(int root, std::span<std::byte> bytes) override {
        check(MPI_Bcast(bytes.data(), count_of(bytes.size()), MPI_BYTE, root, communicator_), "MPI_Bcast");
    }
    void abort() override { MPI_Abort(communicator_, 1); }

private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
};

bool is_initialized() {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    return is_initialized != 0;
}

/// Waits until all ranks have come here.  MPI_Finalize waits as well, but Open MPI 5's mpiexec may hang where
/// processes are ended while one of them is in it: 4 of 690 jobs did.
void await_all() {
    MPI_Request request = MPI_REQUEST_NULL;
    int is_over = 0;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return;
    while (MPI_Test(&request, &is_over, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_over == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

}  // namespace detail

Communicator communicator_of(MPI_Comm ranks, const CommunicatorOptions& options) {
    if (!detail::is_initialized())
        throw ValueError("communicator: MPI is not initialised: write frisket::mpi::Environment "
                         "environment(argc, argv) first");
    return {std::make_unique<detail::MpiTransport>(ranks), options};
}
Communicator world(const CommunicatorOptions& options) { return communicator_of(MPI_COMM_WORLD, options); }

Environment::Environment(int& argument_count, char**& arguments) : exceptions_(std::uncaught_exceptions()) {
    if (detail::is_initialized())
        throw ValueError("environment: MPI is initialised already: leave out frisket::mpi::Environment");
    int level = MPI_THREAD_SINGLE;
    detail::check(MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_MULTIPLE, &level),
                  "MPI_Init_thread");
}

Environment::~Environment() {
    if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 1);
    detail::await_all();
    MPI_Finalize();
}

}  // namespace frisket::mpi
