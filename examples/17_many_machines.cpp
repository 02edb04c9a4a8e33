// SPDX-License-Identifier: MIT
// A factorisation of ratings whose tables are sharded over the ranks of MPI: `mpirun -n 4 17_many_machines`,
// with any other number, or without mpirun.  The output is the same to the last bit.
#include <frisket/frisket.hpp>
#include <frisket/mpi.hpp>
#include <frisket/optim.hpp>
#include <cstdio>
#include <string_view>
#include <vector>
using namespace frisket;

namespace {

constexpr std::int64_t users = 20'000, items = 5'000, width = 8;
constexpr std::int64_t batch = 1024, batches = 10;

constexpr In<"users"> p;
constexpr In<"items"> q;
constexpr In<"ratings"> wanted;
constexpr auto misfit = sum(square(sum(p * q, {1}, keepdim) - wanted));

struct Ratings {
    explicit Ratings(std::int64_t count) : user{Shape{count}}, item{Shape{count}}, rating{Shape{count, 1}} {}
    Tensor<std::int64_t> user, item;
    Tensor<float> rating;
};

// Ratings [first, last) of all.
Ratings ratings(std::int64_t first, std::int64_t last) {
    Ratings found(last - first);
    for (std::int64_t number = first; number < last; ++number) {
        found.user.data()[number - first] = number * 7919 % users;
        found.item.data()[number - first] = number * 104'729 % 97 * 51;
        found.rating.data()[number - first] = static_cast<float>(number % 5) / 4;
    }
    return found;
}

float start(std::int64_t position) { return 0.3f + 0.01f * static_cast<float>(position % 13); }

}  // namespace

int main(int argc, char** argv) {
    // [tables]
    const mpi::Environment environment(argc, argv);
    const mpi::Communicator ranks = mpi::world();
    // Rows go to ranks by a hash of their numbers; no rank has a whole table.
    const mpi::ShardedTable::Options hashed{.partition = mpi::Partition::hash(), .name = "users"};
    const mpi::ShardedTable u = mpi::ShardedTable::filled<float>(ranks, {users, width}, start, hashed);
    const mpi::ShardedTable v = mpi::ShardedTable::filled<float>(ranks, {items, width}, start);
    mpi::Optimizer adagrad(optim::RowwiseAdagrad{.lr = 0.1}, {{"users", u}, {"items", v}});
    // [/tables]

    // [mistake]
    try {
        mpi::Optimizer lamb(optim::LAMB{.lr = 0.1}, {{"users", u}});
    } catch (const Error& error) {
        const std::string_view text = error.what();  // names the rank where there are several
        if (ranks.rank() == 0) std::printf("%s\n\n", text.substr(text.find("lamb")).data());
    }
    // [/mistake]

    double loss = 0;
    for (std::int64_t step = 0; step < 40; ++step) {
        // Each rank has its own part of the batch.
        const std::int64_t from = step % batches * batch;
        const Ratings own = ratings(from + batch * ranks.rank() / ranks.size(),
                                    from + batch * (ranks.rank() + 1) / ranks.size());
        // [step]
        // Fetches the rows that the loss reads from their owners, where gradients go and steps are taken.
        const optim::StepOutcome outcome =
            adagrad.minimize(misfit, mpi::TableRows{"users", own.user}, mpi::TableRows{"items", own.item},
                             wanted = own.rating);
        // [/step]
        loss = outcome.loss;
    }

    const Tensor<float> all_users(u.gathered()), all_items(v.gathered());
    if (ranks.rank() > 0) return 0;
    std::printf("mean square error of the last batch: %.4f\n", loss / batch);
    std::printf("users[7919, 0] = %a, items[51, 0] = %a\n",
                static_cast<double>(all_users.data()[7919 * width]),
                static_cast<double>(all_items.data()[51 * width]));
}

// Output:
// lamb: users: its step puts elements of several rows together, and ranks have rows of their own: keep the parameter dense, with DenseState::replicated, or take a rule by element or by row
//
// mean square error of the last batch: 0.0110
// users[7919, 0] = 0x1.c9768p-3, items[51, 0] = 0x1.09a758p-4
