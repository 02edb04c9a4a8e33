// SPDX-License-Identifier: MIT
// Faults of one rank, which all ranks must hear of.
#include "ranks.hpp"

using namespace mpi_test;

namespace {

/// The rank that has the fault.
int last() { return ranks().size() - 1; }
bool is_last() { return ranks().rank() == last(); }
std::string of_last() { return ranks().size() == 1 ? "" : "rank " + std::to_string(last()) + ": "; }

}  // namespace

TEST_CASE("an id out of range on one rank is an error on all", "[mpi]") {
    const mpi::ShardedTable table = counted(10, 2);
    const std::string text =
        error_of([&] { table.lookup(Tensor<std::int64_t>({2}, {1, is_last() ? 10 : 2})); });
    CHECK(contains(text, of_last() + "lookup: id 1 is 10, the table has rows 0 to 9"));
    CHECK(contains(error_of([&] { table.lookup(Tensor<float>({1}, {1})); }), "ids are float32"));
    // And the next call works.
    CHECK(table.lookup(Tensor<std::int64_t>({1}, {9})).shape() == Shape{1, 2});
}

TEST_CASE("ranks that are not alike are told at construction", "[mpi]") {
    if (ranks().size() == 1) SKIP("needs two ranks");
    const auto refused = [](const auto& call, const std::string& wanted) {
        const std::string text = error_of(call);
        INFO(text);
        CHECK(contains(text, wanted));
    };
    refused([] { counted(is_last() ? 11 : 10, 2); },
            of_last() + "the shape of table is [11, 2], rank 0 has [10, 2]");
    refused([] { counted(10, 2, is_last() ? mpi::Partition::hash() : mpi::Partition::blocks()); },
            of_last() + "the partition of table is hash, rank 0 has blocks");
    const mpi::ShardedTable table = counted(10, 2);
    refused([&] { mpi::Optimizer(optim::SGD{.lr = is_last() ? 0.2 : 0.1}, {{"table", table}}); }, "lr=0.2");
    refused(
        [&] {
            if (is_last())
                mpi::Optimizer(optim::Adam{}, {{"table", table}});
            else
                mpi::Optimizer(optim::SGD{}, {{"table", table}});
        },
        of_last() + "the rule is adam");
    refused([&] { mpi::Optimizer(optim::SGD{}, {{is_last() ? "tables" : "table", table}}); },
            "parameter tables");
    refused(
        [&] {
            mpi::Optimizer({.steps = {.untouched = is_last() ? optim::Untouched::masked
                                                             : optim::Untouched::dense_equivalent}},
                           optim::SGD{}, {{"table", table}});
        },
        "option untouched");
    refused([] { mpi::world({.message_bytes = is_last() ? 4000 : 8000}); }, "option message_bytes is 4000");
    refused([] { mpi::world({.message_bytes = is_last() ? 0 : 8000}); },
            of_last() + "option message_bytes is 0, wanted 1 to 2147483647");
}

TEST_CASE("options that change on one rank alone are told at the step", "[mpi]") {
    if (ranks().size() == 1) SKIP("needs two ranks");
    const mpi::ShardedTable table = counted(10, 2);
    mpi::Optimizer optimizer(optim::SGD{.lr = 0.1}, {{"table", table}});
    const AnyMasked gradient = AnyMasked::rows({10, 2}, {5}, full<float>({1, 2}, 1));
    const AnyTensor before = table.gathered();
    if (is_last()) optimizer.options<optim::SGD>().lr = 0.5;
    CHECK(contains(error_of([&] { optimizer.step({gradient}); }), "lr=0.5"));
    optimizer.options<optim::SGD>().lr = 0.5;
    CHECK(contains(error_of([&] { optimizer.step({gradient}, {.scale = is_last() ? 2.0 : 1.0}); }),
                   "option scale is 2"));
    CHECK(same_bytes(table.gathered(), before));
    optimizer.step({gradient});
    CHECK(!same_bytes(table.gathered(), before));
}

TEST_CASE("gradients that do not fit on one rank change nothing on any", "[mpi]") {
    const mpi::ShardedTable table = counted(10, 2);
    const AnyTensor w = full<float>({3}, 1);
    mpi::Optimizer optimizer(optim::Adagrad{}, {{"table", table}, {"w", w}});
    const AnyMasked good = AnyMasked::rows({10, 2}, {5}, full<float>({1, 2}, 1));
    const AnyTensor dense = full<float>({3}, 1);
    const AnyTensor before = table.gathered();
    const auto refused = [&](const mpi::Gradient& first, const mpi::Gradient& second,
                             const std::string& wanted) {
        const std::string text = error_of([&] {
            optimizer.step(
                {is_last() ? first : mpi::Gradient(good), is_last() ? second : mpi::Gradient(dense)});
        });
        INFO(text);
        CHECK(contains(text, of_last() + wanted));
        CHECK(same_bytes(table.gathered(), before));
        CHECK(same_bytes(w, full<float>({3}, 1)));
    };
    refused(AnyMasked::rows({11, 2}, {5}, full<float>({1, 2}, 1)), dense,
            "the gradient of table has shape [11, 2], the whole parameter has [10, 2]");
    refused(full<float>({10, 2}, 1), dense, "the gradient of table has layout dense");
    refused(AnyMasked::rows({10, 2}, {5}, full<double>({1, 2}, 1)), dense,
            "the gradient of table is float64");
    refused(good, AnyMasked::rows({3}, {1}, full<float>({1}, 1)), "the gradient of w has layout rows");
    refused(good, Argument(1.0), "the gradient of w is a number");
    CHECK(contains(error_of([&] { optimizer.step({good}); }), "1 gradients for 2 parameters"));
    const AnyMasked elements = AnyMasked::coo({10, 2}, {{5}, {1}}, full<float>({1}, 1));
    const std::string mixed = error_of([&] { optimizer.step({is_last() ? elements : good, dense}); });
    CHECK((ranks().size() == 1 ||
           contains(mixed, "a list of rows on some ranks and one of elements on others")));
    CHECK((ranks().size() == 1 || same_bytes(table.gathered(), before)));
}

TEST_CASE("rules that put rows together are refused for tables, with the reason", "[mpi]") {
    const mpi::ShardedTable table = counted(10, 2);
    const AnyTensor w = full<float>({3, 3}, 1);
    for (const char* name : {"lamb", "lars", "adafactor", "muon"}) {
        const optim::AnyRule rule = optim::rule_of(name);
        CHECK(contains(error_of([&] { mpi::Optimizer(rule, {{"table", table}}); }),
                       "its step puts elements of several rows together"));
        CHECK(contains(
            error_of([&] { mpi::Optimizer(ranks(), {}, rule, {{"w", w, mpi::DenseState::sharded}}); }),
            "its step puts elements of several rows together"));
        CHECK(error_of([&] { mpi::Optimizer(ranks(), {}, rule, {{"w", w}}); }).empty());
    }
    CHECK(contains(error_of([&] { mpi::Optimizer(optim::SGD{}, {{"w", w}}); }),
                   "no parameter is a sharded table"));
}
