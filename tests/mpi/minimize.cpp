// SPDX-License-Identifier: MIT
// Losses of many ranks against one loss of the whole batch, to the byte.
#include <cmath>
#include <vector>

#include "batches.hpp"
#include "ranks.hpp"

using namespace mpi_test;

namespace {

constexpr std::int64_t users = 30, items = 11, width = 5, batch_size = 26;

constexpr In<"users"> users_of;
constexpr In<"items"> items_of;
constexpr In<"first"> first_of;
constexpr In<"rating"> rating_of;
constexpr In<"bias"> bias_of;
constexpr In<"keep", bool> keep_of;

float start(std::int64_t position) {
    return static_cast<float>(mpi_check::uniform(mpi_check::random(static_cast<std::uint64_t>(position))));
}

AnyTensor started(Shape shape) {
    Tensor<float> made(std::move(shape));
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = start(i);
    return made;
}

mpi::ShardedTable table_of(const char* name, std::int64_t rows, const mpi::Partition& partition) {
    return mpi::ShardedTable::filled<float>(ranks(), {rows, width}, start,
                                            {.partition = partition, .name = name});
}

/// Ratings [first, last) of a batch; users and items occur several times.
struct Ratings {
    Ratings(std::int64_t step, std::int64_t first, std::int64_t last) {
        const std::int64_t count = last - first;
        user = Tensor<std::int64_t>(Shape{count});
        item = Tensor<std::int32_t>(Shape{count});
        rating = Tensor<float>(Shape{count, 1});
        keep = Tensor<bool>(Shape{count, width});
        for (std::int64_t i = 0; i < count; ++i) {
            const auto number = static_cast<std::uint64_t>(step * batch_size + first + i);
            user.data()[i] = static_cast<std::int64_t>(mpi_check::random(number, 1) % 9 * 3);
            item.data()[i] = static_cast<std::int32_t>(mpi_check::random(number, 2) % items);
            rating.data()[i] = static_cast<float>(mpi_check::uniform(mpi_check::random(number, 3)));
            for (std::int64_t j = 0; j < width; ++j)
                keep.data()[i * width + j] =
                    mpi_check::random(number, 4, static_cast<std::uint64_t>(j)) % 3 > 0;
        }
    }
    static Ratings own(std::int64_t step) {
        return {step, batch_size * ranks().rank() / ranks().size(),
                batch_size * (ranks().rank() + 1) / ranks().size()};
    }
    static Ratings whole(std::int64_t step) { return {step, 0, batch_size}; }

    Tensor<std::int64_t> user;
    Tensor<std::int32_t> item;
    Tensor<float> rating;
    Tensor<bool> keep;
};

mpi::TableRows rows_of(const char* table, const AnyTensor& ids, const char* symbol = "") {
    return {.table = table, .ids = ids, .symbol = symbol};
}

}  // namespace

TEST_CASE("minimize of many ranks has the bytes of one batch", "[mpi]") {
    for (const mpi::Partition& partition : partitions()) {
        const mpi::ShardedTable u = table_of("users", users, partition),
                                v = table_of("items", items, partition);
        const Tensor<float> plain_u(started({users, width})), plain_v(started({items, width}));
        mpi::Optimizer optimizer(optim::Adagrad{.lr = 0.1}, {{"users", u}, {"items", v}});
        optim::Optimizer wanted(optim::Adagrad{.lr = 0.1}, {{"users", plain_u}, {"items", plain_v}});
        const auto misfit = sum(square(sum(users_of * items_of, {1}, keepdim) - rating_of));
        for (std::int64_t step = 0; step < 3; ++step) {
            const Ratings own = Ratings::own(step), whole = Ratings::whole(step);
            const optim::StepOutcome found = optimizer.minimize(
                misfit, rows_of("users", own.user), rows_of("items", own.item), rating_of = own.rating);
            const Tensor<float> p = eval(plain_u[whole.user]), q = eval(plain_v[whole.item]);
            const auto loss = sum(square(sum(p * q, {1}, keepdim) - whole.rating));
            const auto [value, of_p, of_q] = eval(loss, gradient(loss, p), gradient(loss, q));
            wanted.step({AnyMasked::rows({users, width}, whole.user, of_p.to_dense(0)),
                         AnyMasked::rows({items, width}, whole.item, of_q.to_dense(0))});
            CHECK(std::abs(found.loss - static_cast<double>(value.item())) < 1e-5 * found.loss);
        }
        INFO(partition.name());
        CHECK(same_bytes(u.gathered(), plain_u));
        CHECK(same_bytes(v.gathered(), plain_v));
    }
}

TEST_CASE("minimize by elements, where the loss leaves some of a row out", "[mpi]") {
    const mpi::ShardedTable u = table_of("users", users, mpi::Partition::hash());
    const Tensor<float> plain(started({users, width}));
    mpi::Optimizer optimizer(optim::Adagrad{.lr = 0.1}, {{"users", u}});
    optim::Optimizer wanted(optim::Adagrad{.lr = 0.1}, {{"users", plain}});
    for (std::int64_t step = 0; step < 3; ++step) {
        const Ratings own = Ratings::own(step), whole = Ratings::whole(step);
        optimizer.minimize(sum(square(masked(users_of, keep_of))), rows_of("users", own.user),
                           keep_of = own.keep);
        std::vector<std::int64_t> row, column;
        std::vector<double> twice;
        for (std::int64_t i = 0; i < whole.keep.size(); ++i) {
            if (!whole.keep.data()[i]) continue;
            row.push_back(whole.user.data()[i / width]);
            column.push_back(i % width);
            twice.push_back(2.0 * static_cast<double>(plain.data()[row.back() * width + column.back()]));
        }
        const auto count = static_cast<std::int64_t>(row.size());
        wanted.step({AnyMasked::coo({users, width}, std::vector{row, column},
                                    mpi_check::tensor_of(twice, {count}, DType::float32))});
    }
    CHECK(same_bytes(u.gathered(), plain));
}

TEST_CASE("minimize of dense parameters, and of two lists of rows of one table", "[mpi]") {
    // Small integers, so that the sum over the batch is exact in any order.
    const mpi::ShardedTable table = mpi::ShardedTable::filled<float>(
        ranks(), {users, width}, [](std::int64_t position) { return static_cast<float>(position % 7); },
        {.name = "users"});
    const Tensor<float> plain(table.gathered());
    Tensor<float> w = full<float>({width}, 1), plain_w = w.clone(), unread = full<float>({2}, 3);
    mpi::Optimizer optimizer(optim::SGD{.lr = 0.5}, {{"bias", w}, {"table", table}, {"unread", unread}});
    optim::Optimizer wanted(optim::SGD{.lr = 0.5}, {{"bias", plain_w}, {"table", plain}});
    const Ratings own = Ratings::own(0), whole = Ratings::whole(0);
    const auto loss = sum(first_of * (items_of + bias_of));
    const Tensor<float> first(table.lookup(own.user));  // rows that were looked up before
    const optim::StepOutcome outcome = optimizer.minimize(
        loss, mpi::TableRows{.table = "table", .ids = own.user, .symbol = "first", .rows = first},
        rows_of("table", own.item, "items"));
    const optim::StepOutcome one = wanted.minimize(sum(plain[whole.user] * (plain[whole.item] + plain_w)));
    CHECK(outcome.loss == one.loss);
    CHECK(same_bytes(w, plain_w));
    CHECK(same_bytes(table.gathered(), plain));
    // A loss over tensors reads rows that were looked up as one.
    const Tensor<float> second(table.lookup(own.user));
    optimizer.minimize(sum(square(second) * w),
                       mpi::TableRows{.table = "table", .ids = own.user, .rows = second});
    wanted.minimize(sum(square(plain[whole.user]) * plain_w));
    CHECK(same_bytes(w, plain_w));
    CHECK(same_bytes(table.gathered(), plain));
    CHECK(same_bytes(unread, Tensor<float>({2}, {3, 3})));
}

TEST_CASE("minimize by ids of other strides, and gradients that are one number", "[mpi]") {
    const mpi::ShardedTable table = counted(10, 3);
    mpi::Optimizer optimizer(optim::SGD{.lr = 1}, {{"users", table}});
    const Tensor<std::int64_t> ids = Tensor<std::int64_t>({2, 2}, {1, 2, 3, 4}).transpose(0, 1);
    CHECK(!ids.is_contiguous());
    const bool is_first = ranks().rank() == 0;
    const Tensor<std::int64_t> none(Shape{0, 2});
    optimizer.minimize(sum(users_of), rows_of("users", is_first ? AnyTensor(ids) : AnyTensor(none)));
    std::vector<float> wanted;
    for (std::int64_t i = 0; i < 30; ++i)
        wanted.push_back(static_cast<float>(i) - (i / 3 >= 1 && i / 3 <= 4 ? 1.0f : 0.0f));
    CHECK(same_bytes(table.gathered(), Tensor<float>({10, 3}, wanted)));
}

TEST_CASE("the loss of ranks is the sum of what is specified, else NaN", "[mpi]") {
    const mpi::ShardedTable table = mpi::ShardedTable::filled<float>(
        ranks(), {users, width}, [](std::int64_t) { return 2.0f; }, {.name = "users"});
    mpi::Optimizer optimizer(optim::SGD{.lr = 0}, {{"users", table}});
    const bool is_first = ranks().rank() == 0;
    const auto loss_if = [&](bool is_there) {
        const Tensor<bool> keep = full<bool>({3, width}, is_there);
        const Tensor<std::int64_t> ids({3}, {1, 2, 1});
        return optimizer.minimize(mean(masked(users_of, keep_of)), rows_of("users", ids), keep_of = keep)
            .loss;
    };
    CHECK(loss_if(is_first) == 2);
    CHECK(loss_if(true) == 2 * ranks().size());
    CHECK(std::isnan(loss_if(false)));
}

TEST_CASE("losses that one rank alone cannot evaluate change nothing on any", "[mpi]") {
    const mpi::ShardedTable table = counted(users, width);
    Tensor<float> w = full<float>({width}, 1);
    mpi::Optimizer optimizer(optim::SGD{.lr = 1}, {{"users", table}, {"bias", w}});
    const AnyTensor before = table.gathered();
    const bool is_wrong = ranks().rank() == ranks().size() - 1;
    const Tensor<std::int64_t> ids({2}, {1, is_wrong ? users : 2}), right({2}, {1, 2});
    const Tensor<float> rows(table.lookup(right)), wrong(is_wrong ? Shape{1, width} : Shape{2, width});
    const auto loss = sum(square(users_of));
    const auto error = [&](const auto& given, const mpi::TableRows& of) {
        return error_of([&] { optimizer.minimize(given, of); });
    };
    CHECK(contains(error(loss, rows_of("users", ids)), "id 1 is 30"));
    CHECK(contains(error(loss, rows_of(is_wrong ? "bias" : "users", right)),
                   "bias, which is a dense parameter"));
    CHECK(contains(error(loss, rows_of(is_wrong ? "u" : "users", right)), "u, which is no parameter"));
    CHECK(
        contains(error(loss, rows_of("users", right, is_wrong ? "bias" : "")), "another TableRows::symbol"));
    CHECK(contains(error(loss, rows_of("users", right, is_wrong ? "other" : "")), "reads users"));
    CHECK(contains(error(loss, {.table = "users", .ids = right, .rows = wrong}), "wanted [2, 5]"));
    CHECK(contains(
        error(loss,
              {.table = "users", .ids = right, .rows = is_wrong ? rows.to(DType::float64) : AnyTensor(rows)}),
        "wanted float32, as the table"));
    CHECK(contains(error(square(users_of), rows_of("users", right)), "wanted one number"));
    const std::string of_no_use =
        error_of([&] { optimizer.minimize(sum(square(bias_of)), rows_of("users", right)); });
    CHECK(contains(of_no_use, "there are rows of users, which the loss does not read"));
    const Tensor<bool> keep = full<bool>({width}, true);
    const std::string masked_bias =
        error_of([&] { optimizer.minimize(sum(masked(bias_of, keep_of)), keep_of = keep); });
    CHECK(contains(masked_bias, "minimize: the gradient of bias is masked"));
    const std::string unread =
        error_of([&] { optimizer.minimize(sum(square(rating_of)), rating_of = rows); });
    CHECK(contains(unread, "the loss reads no parameter"));
    CHECK(same_bytes(table.gathered(), before));
    CHECK(same_bytes(w, Tensor<float>({width}, {1, 1, 1, 1, 1})));
}

TEST_CASE("gradients by name, and state that is given back", "[mpi]") {
    const mpi::ShardedTable table = counted(6, 1);
    Tensor<float> w = full<float>({1}, 3);
    mpi::Optimizer optimizer(optim::Adagrad{.lr = 1}, {{"table", table}, {"w", w}});
    const AnyMasked gradient = AnyMasked::rows({6, 1}, {5}, full<float>({1, 1}, 1));
    const Tensor<float> one = full<float>({1}, 1);
    optimizer.step({{"w", one}});
    CHECK(w.item() < 3);
    CHECK(table.gathered().size() == 6);
    CHECK(Tensor<const std::int64_t>(optimizer.state("table", "step")).item() == 0);

    std::vector<optim::StateEntry> kept = optimizer.state();
    for (optim::StateEntry& entry : kept) entry.value = entry.value.clone();
    const AnyTensor w_kept = w.clone(), table_kept = table.gathered();
    const auto step = [&] { optimizer.step({{"w", one}, {"table", gradient}}); };
    step();
    const AnyTensor w_after = w.clone(), table_after = table.gathered();
    optimizer.set_state(kept);
    copy(w_kept, w);
    copy(mpi::ShardedTable::filled<float>(
             ranks(), {6, 1}, [&](std::int64_t i) { return static_cast<const float*>(table_kept.data())[i]; })
             .local(),
         table.local());
    step();
    CHECK(same_bytes(w, w_after));
    CHECK(same_bytes(table.gathered(), table_after));

    CHECK(contains(error_of([&] { optimizer.step({{"v", gradient}}); }), "no parameter of that name"));
    CHECK(contains(error_of([&] { optimizer.step({{"table", gradient}, {"table", gradient}}); }),
                   "two gradients of table"));
    if (ranks().rank() == 0) kept.pop_back();
    CHECK(!error_of([&] { optimizer.set_state(kept); }).empty());
}
