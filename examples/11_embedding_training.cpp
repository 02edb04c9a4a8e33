// SPDX-License-Identifier: MIT
// An embedding model trained with nothing of the size of the table: its gradient is a list of the rows that a
// batch reads, and the optimizer moves these rows and their state alone.
#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>
#include <cstdio>
#include <iostream>
#include <string>
using namespace frisket;

int main() {
    // A rating of each of a million items; a batch sees 64 of them, some twice.
    constexpr std::int64_t items = 1'000'000, width = 16, batch = 64;
    Tensor<float> table = full<float>({items, width}, 0.1f), w = full<float>({width, 1}, 0.5f);
    Tensor<std::int64_t> ids({batch});
    Tensor<float> ratings({batch, 1});
    for (std::int64_t i = 0; i < batch; ++i) {
        ids.data()[i] = i / 2 * 31'337;
        ratings.data()[i] = static_cast<float>(i / 2 % 5);
    }

    const auto loss = mean(square(matmul(table[ids], w) - ratings));
    const auto [first, of_table, of_w] = eval(loss, gradient(loss, table), gradient(loss, w));
    std::cout << "the gradient of the table: layout " << name_of(of_table.layout()) << ", "
              << of_table.index()->size() << " rows of " << items << "\n";

    optim::Optimizer adagrad(optim::RowwiseAdagrad{.lr = 0.5}, {{"table", table}, {"w", w}});
    for (int step = 0; step < 30; ++step) adagrad.minimize(loss);
    std::printf("loss: %.3f, after 30 steps below 0.01: %s\n", first.item(),
                eval(loss).item() < 0.01f ? "yes" : "no");

    // The table has 61 MiB; "peak: at most 10.4 KiB at once, ..." on one machine.
    const std::string plan = explain(gradient(loss, table), Run::yes);
    const std::string peak = plan.substr(plan.find("peak: "));
    std::cout << "memory of the gradient: "
              << (peak.substr(0, peak.find(" at once")).ends_with("KiB") ? "some KiB" : peak) << "\n";
}

// Output:
// the gradient of the table: layout rows, 32 rows of 1000000
// loss: 3.246, after 30 steps below 0.01: yes
// memory of the gradient: some KiB
