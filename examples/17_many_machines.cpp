// SPDX-License-Identifier: MIT
// A factorisation of ratings whose tables are sharded over the ranks of MPI: `mpirun -n 4 17_many_machines`,
// with any other number, or without mpirun.  The output is the same to the last bit.
#include <frisket/frisket.hpp>
#include <frisket/mpi.hpp>
#include <frisket/optim.hpp>
#include <cstdio>
#include <vector>
using namespace frisket;

namespace {

constexpr std::int64_t users = 20'000, items = 5'000, width = 8;
// A batch is computed in 4 parts, which ranks share; each has its own part of the ratings.
constexpr int parts = 4;
constexpr std::int64_t in_part = 256;

struct Ratings {
    Tensor<std::int64_t> user{Shape{in_part}}, item{Shape{in_part}};
    Tensor<float> rating{Shape{in_part, 1}};
};

Ratings part_of(std::int64_t step, int part) {
    Ratings found;
    for (std::int64_t i = 0; i < in_part; ++i) {
        const std::int64_t number = ((step % 10) * parts + part) * in_part + i;
        found.user.data()[i] = number * 7919 % users;
        found.item.data()[i] = number * 104'729 % 97 * 51;
        found.rating.data()[i] = static_cast<float>(number % 5) / 4;
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

    const int first = parts * ranks.rank() / ranks.size(), last = parts * (ranks.rank() + 1) / ranks.size();
    for (std::int64_t step = 0; step < 40; ++step) {
        // Rows that this rank's parts read are fetched from their owners, each once.
        std::vector<Argument> of_users, of_items;
        for (int part = 0; part < parts; ++part) {
            const bool is_own = part >= first && part < last;
            const Ratings given = is_own ? part_of(step, part) : Ratings();
            const std::int64_t none = is_own ? in_part : 0;
            Tensor<float> p(u.lookup(given.user.slice(0, 0, none))),
                q(v.lookup(given.item.slice(0, 0, none)));
            if (!is_own) continue;
            const auto loss = sum(square(sum(p * q, {1}, keepdim) - given.rating));
            const auto [of_p, of_q] = eval(gradient(loss, p), gradient(loss, q));
            of_users.emplace_back(AnyMasked::rows({users, width}, given.user, of_p.to_dense(0)));
            of_items.emplace_back(AnyMasked::rows({items, width}, given.item, of_q.to_dense(0)));
        }
        // [step]
        // Gradients go to the owners of their rows, who sum duplicates and take the step.
        adagrad.step({of_users, of_items});
        // [/step]
    }

    const Tensor<float> all_users(u.gathered()), all_items(v.gathered());
    double error = 0;
    for (std::int64_t step = 0; step < 10; ++step)
        for (int part = 0; part < parts; ++part) {
            const Ratings given = part_of(step, part);
            Tensor<float> p(u.lookup(given.user)), q(v.lookup(given.item));
            error += static_cast<double>(eval(sum(square(sum(p * q, {1}, keepdim) - given.rating))).item());
        }
    if (ranks.rank() > 0) return 0;
    std::printf("mean square error: %.4f\n", error / (10 * parts * in_part));
    std::printf("users[7919, 0] = %a, items[51, 0] = %a\n",
                static_cast<double>(all_users.data()[7919 * width]),
                static_cast<double>(all_items.data()[51 * width]));
}

// Output:
// mean square error: 0.0096
// users[7919, 0] = 0x1.c9768p-3, items[51, 0] = 0x1.09a758p-4
