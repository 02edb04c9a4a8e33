// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/bitmask_ops.hpp"

#include "../../support/matchers.hpp"

namespace bits_test {

using namespace frisket;
using namespace frisket::testing;

using Words = std::vector<std::uint64_t>;

/// Bytes of which some are 0 and the rest anything.
static std::vector<std::uint8_t> random_bytes(std::int64_t count, double density) {
    Random random(7);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
    for (auto& byte : bytes)
        byte = random.chance(density) ? static_cast<std::uint8_t>(1 + random.below(255)) : 0;
    return bytes;
}

TEST_CASE("packing bytes sets the bits of those that are not zero and no others") {
    const std::int64_t count = GENERATE(0, 1, 63, 64, 65, 127, 1003);
    const auto bytes = random_bytes(count, 0.4);
    Words words(static_cast<std::size_t>(runtime::words_for(count)), ~std::uint64_t{0});
    runtime::pack_bits(bytes.data(), 0, runtime::words_for(count), count, words.data());
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < runtime::words_for(count) * 64; ++i) {
        const bool is_set = (words[i / 64] >> (i % 64) & 1) != 0;
        REQUIRE(is_set == (i < count && bytes[i] != 0));
        found += is_set;
    }
    CHECK(runtime::count_bits(words.data(), 0, runtime::words_for(count)) == found);
    std::vector<std::uint8_t> back(bytes.size(), 9);
    runtime::unpack_bits(words.data(), 0, runtime::words_for(count), count, back.data());
    for (std::int64_t i = 0; i < count; ++i) REQUIRE(back[i] == (bytes[i] != 0));
}

TEST_CASE("packing in parts gives the same words as packing at once") {
    const auto bytes = random_bytes(1003, 0.1);
    Words whole(16), parts(16);
    runtime::pack_bits(bytes.data(), 0, 16, 1003, whole.data());
    for (std::int64_t begin = 0; begin < 16; begin += 5)
        runtime::pack_bits(bytes.data(), begin, std::min<std::int64_t>(begin + 5, 16), 1003, parts.data());
    CHECK(whole == parts);
}

TEST_CASE("packing reads no byte past the last") {
    const std::int64_t count = GENERATE(1, 16, 63, 64, 100);
    const GuardedBuffer buffer(static_cast<std::size_t>(count), {.at_page_end = true});
    std::memset(buffer.data(), 0xff, static_cast<std::size_t>(count));
    Words words(2);
    runtime::pack_bits(static_cast<const std::uint8_t*>(buffer.data()), 0, runtime::words_for(count), count,
                       words.data());
    CHECK(runtime::count_bits(words.data(), 0, 2) == count);
}

TEST_CASE("lines of 16 bits are listed that have one set, in their place and no further") {
    const Words words{
        0, 0x8000'0000'0000'0001, 0, 0x0001'ffff'0000'8000, ~std::uint64_t{0}, 0x0000'0100'0000'0000};
    CHECK(runtime::count_nonzero_lines(words.data(), 0, 6) == 10);
    std::vector<std::int32_t> lines(24);
    lines.resize(static_cast<std::size_t>(runtime::nonzero_lines(words.data(), 0, 6, lines.data())));
    CHECK(lines == std::vector<std::int32_t>{4, 7, 12, 14, 15, 16, 17, 18, 19, 22});
    CHECK(runtime::count_nonzero_lines(words.data(), 1, 3) == 2);
}

TEST_CASE("lines of many words are listed and counted as one after the other") {
    const double density = GENERATE(0.001, 0.02, 0.3, 1.0);
    const auto bytes = random_bytes(64 * 61, density);
    Words words(61);
    runtime::pack_bits(bytes.data(), 0, 61, 64 * 61, words.data());
    for (const auto& [begin, end] : {std::pair(0, 61), std::pair(3, 60), std::pair(8, 16), std::pair(5, 5)}) {
        std::vector<std::int32_t> wanted, found(static_cast<std::size_t>(4 * (end - begin)) + 1, -1);
        for (std::int32_t line = 4 * begin; line < 4 * end; ++line)
            if ((words[static_cast<std::size_t>(line / 4)] >> (line % 4 * 16) & 0xffff) != 0)
                wanted.push_back(line);
        CHECK(runtime::count_nonzero_lines(words.data(), begin, end) == std::ssize(wanted));
        const std::int64_t count = runtime::nonzero_lines(words.data(), begin, end, found.data());
        CHECK(found.back() == -1);
        found.resize(static_cast<std::size_t>(count));
        CHECK(found == wanted);
    }
}

TEST_CASE("ranges of words hold all bits that are set, and whole groups of words alone") {
    const std::int64_t count = GENERATE(0, 1, 7, 8, 9, 511, 512, 513, 1100, 4096);
    const int every = GENERATE(1, 2, 3, 17, 64, 100000);
    CAPTURE(count, every);
    Words words(static_cast<std::size_t>(count));
    for (std::int64_t group = 0; group < (count + 7) / 8; ++group)
        if (group % every == every - 1)
            words[static_cast<std::size_t>(std::min(group * 8 + group % 8, count - 1))] = std::uint64_t{1}
                                                                                          << (group % 64);
    std::vector<runtime::WordRange> ranges{{1, 2}};
    runtime::nonzero_ranges(words.data(), count, ranges);
    std::vector<bool> covered(words.size());
    std::int64_t end = -1;
    for (const runtime::WordRange& range : ranges) {
        CHECK(range.begin > end);
        CHECK(range.begin % 8 == 0);
        CHECK((range.end % 8 == 0 || range.end == count));
        std::fill(covered.begin() + range.begin, covered.begin() + range.end, true);
        end = range.end;
    }
    for (std::size_t begin = 0; begin < words.size(); begin += 8) {
        const auto* const from = words.data() + begin;
        const auto* const to = from + std::min<std::size_t>(8, words.size() - begin);
        CHECK(covered[begin] == std::any_of(from, to, [](std::uint64_t word) { return word != 0; }));
    }
}

TEST_CASE("positions of bits are those that are set, ascending") {
    const Words words{0, 0x8000'0000'0000'0001, 0, 0x10};
    std::int32_t narrow[3 + runtime::position_slack];
    std::int64_t wide[1 + runtime::position_slack];
    CHECK(runtime::positions_of_bits(words.data(), 0, 4, narrow) == 3);
    CHECK(std::vector<std::int32_t>(narrow, narrow + 3) == std::vector<std::int32_t>{64, 127, 196});
    CHECK(runtime::positions_of_bits(words.data(), 2, 4, wide) == 1);
    CHECK(wide[0] == 196);
    const Words full{~std::uint64_t{0}, 0x0000'0fff'0000'0000};
    std::vector<std::int32_t> many(64 + 12 + runtime::position_slack);
    CHECK(runtime::positions_of_bits(full.data(), 0, 2, many.data()) == 76);
    for (std::int32_t i = 0; i < 76; ++i) CHECK(many[static_cast<std::size_t>(i)] == (i < 64 ? i : i + 32));
    CHECK(runtime::count_nonzero_words(words.data(), 0, 4) == 2);
    CHECK(runtime::count_runs(words.data(), 0, 4) == 2);
    CHECK(runtime::count_runs(words.data(), 2, 2) == 0);
    CHECK(runtime::count_runs(Words{1, 2, 3, 0}.data(), 0, 4) == 1);
}

TEST_CASE("setting a range of bits leaves the others") {
    for (const auto& [begin, end] :
         std::vector<std::pair<int, int>>{{0, 0}, {0, 64}, {3, 5}, {60, 70}, {1, 191}, {64, 128}}) {
        Words words(3);
        runtime::set_bits(words.data(), begin, end);
        for (int i = 0; i < 192; ++i) REQUIRE((words[i / 64] >> (i % 64) & 1) == (i >= begin && i < end));
    }
}

TEST_CASE("bits written some at a time follow each other") {
    Words words(4, 0);
    runtime::BitWriter writer(words.data());
    Random random(3);
    std::vector<bool> wanted;
    while (wanted.size() < 190) {
        const auto missing = 191 - static_cast<std::int64_t>(wanted.size());
        const int count = 1 + static_cast<int>(random.below(std::min<std::int64_t>(64, missing)));
        std::uint64_t bits = 0;
        for (int i = 0; i < count; ++i) {
            wanted.push_back(random.below(2) == 1);
            bits |= static_cast<std::uint64_t>(wanted.back()) << i;
        }
        writer.append(bits, count);
    }
    writer.finish();
    for (std::size_t i = 0; i < wanted.size(); ++i) REQUIRE((words[i / 64] >> (i % 64) & 1) == wanted[i]);
    CHECK(words[3] == 0);
}

}  // namespace bits_test
