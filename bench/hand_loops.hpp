// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "../cli/hand_loops/hand_loops.hpp"

/// Masked Adagrad as one writes it by hand for one case: its loops on all threads (OpenMP), with the widest
/// vectors that the machine has.
namespace bench {

using Adagrad = frisket::hand::Adagrad;

/// sum += grad², param -= rate (grad / (sqrt(sum) + eps)), for all n elements.
void dense(const Adagrad& step, std::int64_t n);
/// Updates where a byte is not 0: an `if` for each element.
void branch(const Adagrad& step, const std::uint8_t* mask, std::int64_t n);
/// Computes as branch() does, without threads.
void branch_on_one_thread(const Adagrad& step, const std::uint8_t* mask, std::int64_t n);
/// Every element is computed, and a select keeps the old one.
void blend(const Adagrad& step, const std::uint8_t* mask, std::int64_t n);
/// Vectors under a mask made from bytes; groups of 64 elements without any are skipped.
void vector_bytes(const Adagrad& step, const std::uint8_t* mask, std::int64_t n);
/// Vectors under a mask of bits, 64 a word.
void vector_bits(const Adagrad& step, const std::uint64_t* words, std::int64_t n);
/// The bits of each word one by one.
void scan_bits(const Adagrad& step, const std::uint64_t* words, std::int64_t n);
/// A list of positions and their gradients.
void index_list(const Adagrad& step, std::span<const std::int32_t> positions, const float* values);
/// a = b + 1.5 c, for the bandwidth of memory: moves 16 bytes an element, as lines of a are fetched before
/// they are written.
void triad(float* a, const float* b, const float* c, std::int64_t n);

/// The vector instructions that the vector loops were built with, or "none".
std::string_view instructions();

}  // namespace bench
