// SPDX-License-Identifier: MIT
// A model of what an exchange costs on many machines.
#pragma once
#include <cmath>
#include <cstdint>

namespace bench_mpi {

/// Assumptions about the network, the table and the batch.
struct Assumptions {
    double latency_us = 2;    ///< time of a message, its handling included
    double bandwidth = 12.5;  ///< bandwidth of a machine's network, GB/s each way
    double rows = 1e9;        ///< rows of the table
    double dim = 64;          ///< float32 in a row
    double listed = 65'536;   ///< rows that the batch of a machine lists, distinct within it
    double step_ns = 100;     ///< time of a step, for each row that reaches its owner
    double compute_ms = 5;    ///< time of a machine's batch, beside lookups and steps
};

/// Times of a step on `nodes` machines, in ms.
struct Times {
    double exchange = 0, step = 0, compute = 0;
    double all() const { return exchange + step + compute; }
};

/// A machine lists k rows, of which k (n-1)/n belong to others.  A lookup sends their ids (8 bytes) and gets
/// the rows back (4 dim bytes); a step sends ids and rows.  Each of the three goes in a message to each of
/// the others, and each exchange tells all their lengths first; agreements are trees of log2 n messages.
///
///     exchange = (3 + 3) (n-1) latency + 9 log2(n) latency + k (n-1)/n (16 + 8 dim) / bandwidth
///     step     = k step_ns           (every machine owns as many of the rows that are listed)
inline Times times_of(const Assumptions& a, double nodes) {
    Times times;
    const double share = a.listed * (nodes - 1) / nodes;
    const double messages = 6 * (nodes - 1) + (nodes > 1 ? 9 * std::log2(nodes) : 0);
    times.exchange = messages * a.latency_us / 1e3 + share * (16 + 8 * a.dim) / (a.bandwidth * 1e9) * 1e3;
    times.step = a.listed * a.step_ns / 1e6;
    times.compute = a.compute_ms;
    return times;
}

}  // namespace bench_mpi
