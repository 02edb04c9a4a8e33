// SPDX-License-Identifier: MIT
// The calls of MPI; compiled with the MPI of the program that links it.
#include "transport.hpp"

#include <mpi.h>

#include <chrono>
#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <utility>
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

}  // namespace

struct Flight::Requests {
    MPI_Comm communicator;
    std::vector<MPI_Request> all = {};

    MPI_Request* next() { return &all.emplace_back(MPI_REQUEST_NULL); }
    int count() const { return static_cast<int>(all.size()); }
};

Flight::Flight(std::unique_ptr<Requests> requests) : requests_(std::move(requests)) {}
Flight::~Flight() {
    if (!requests_->all.empty()) MPI_Waitall(requests_->count(), requests_->all.data(), MPI_STATUSES_IGNORE);
}
void Flight::reserve(std::size_t messages) { requests_->all.reserve(messages); }
void Flight::send(int to, int tag, std::span<const std::byte> bytes) {
    check(MPI_Isend(bytes.data(), count_of(bytes.size()), MPI_BYTE, to, tag, requests_->communicator,
                    requests_->next()),
          "MPI_Isend");
}
void Flight::receive(int from, int tag, std::span<std::byte> bytes) {
    check(MPI_Irecv(bytes.data(), count_of(bytes.size()), MPI_BYTE, from, tag, requests_->communicator,
                    requests_->next()),
          "MPI_Irecv");
}
bool Flight::is_over() {
    int is_over = 1;
    check(MPI_Testall(requests_->count(), requests_->all.data(), &is_over, MPI_STATUSES_IGNORE),
          "MPI_Testall");
    return is_over != 0;
}
void Flight::wait() {
    check(MPI_Waitall(requests_->count(), requests_->all.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests_->all.clear();
}
void Flight::cancel() {
    for (MPI_Request& request : requests_->all)
        if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
    wait();
}

struct Transport::Group {
    explicit Group(MPI_Comm ranks) {
        check(MPI_Comm_dup(ranks, &communicator), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
        MPI_Comm_rank(communicator, &rank);
        MPI_Comm_size(communicator, &size);
    }
    ~Group() {
        int is_finalized = 0;
        MPI_Finalized(&is_finalized);
        // To free it is a call of all ranks, which one that fails cannot wait for.
        if (is_finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&communicator);
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    MPI_Comm communicator = MPI_COMM_NULL;
    int rank = 0, size = 1;
};

Transport::Transport(std::unique_ptr<Group> group) : group_(std::move(group)) {}
Transport::~Transport() = default;
int Transport::rank() const { return group_->rank; }
int Transport::size() const { return group_->size; }
bool Transport::is_for_threads() const {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}
std::unique_ptr<Transport> Transport::apart() const {
    return std::make_unique<Transport>(std::make_unique<Group>(group_->communicator));
}
std::unique_ptr<Flight> Transport::flight() {
    return std::make_unique<Flight>(std::make_unique<Flight::Requests>(group_->communicator));
}
void Transport::all_gather(std::span<const std::byte> own, std::span<std::byte> all) {
    const int count = count_of(own.size());
    check(MPI_Allgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, group_->communicator),
          "MPI_Allgather");
}
void Transport::all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) {
    check(MPI_Alltoall(to.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, group_->communicator),
          "MPI_Alltoall");
}
void Transport::broadcast(int root, std::span<std::byte> bytes) {
    check(MPI_Bcast(bytes.data(), count_of(bytes.size()), MPI_BYTE, root, group_->communicator), "MPI_Bcast");
}
void Transport::abort() { MPI_Abort(group_->communicator, 1); }

namespace {

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
    auto group = std::make_unique<detail::Transport::Group>(ranks);
    return {std::make_unique<detail::Transport>(std::move(group)), options};
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
