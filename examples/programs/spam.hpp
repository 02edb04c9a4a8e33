// SPDX-License-Identifier: MIT
// The spam filter as expressions: text_classifier.cpp trains it, classify_spam.c calls it ahead of time.
#pragma once
#include <frisket/dsl.hpp>

inline constexpr frisket::Masked<"x"> x;  // messages by rows, in csr
inline constexpr frisket::In<"w"> w;
inline constexpr frisket::In<"y"> y;  // 1: spam

inline constexpr auto score = matmul(x, w);
inline constexpr auto logistic_loss = mean(logaddexp(score, 0) - y * score);
inline constexpr auto probability = frisket::function<"probability">(to_dense(sigmoid(score), 0.5F));
