// SPDX-License-Identifier: MIT
#include "../../../runtime/io/tensor_files.hpp"
#include "../../support/matchers.hpp"
#include "npy_helpers.hpp"

namespace npy_headers_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

struct Refusal {
    std::string file;      ///< its bytes
    std::string sentence;  ///< after the path
};

/// A file of one float32 with this dict.
Refusal dict(const std::string& text, const std::string& sentence) {
    return {npy_file(text, std::string(4, '\0')), sentence};
}

/// … with one of the three values replaced.
Refusal descr(const std::string& text, const std::string& sentence) {
    return dict("{'descr': " + text + ", 'fortran_order': False, 'shape': (1,), }", sentence);
}
Refusal order(const std::string& text, const std::string& sentence) {
    return dict("{'descr': '<f4', 'fortran_order': " + text + ", 'shape': (1,), }", sentence);
}
Refusal shape(const std::string& text, const std::string& sentence) {
    return dict("{'descr': '<f4', 'fortran_order': False, 'shape': " + text + ", }", sentence);
}

/// A file with this header as it is, no padding added.
std::string raw(const std::string& text, const std::string& elements = std::string(4, '\0')) {
    std::string file = std::string("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(text.size() & 0xff);
    file += static_cast<char>(text.size() >> 8);
    return file + text + elements;
}

const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
const std::string three = "wanted 'descr', 'fortran_order' and 'shape'";

void check_all(const std::vector<Refusal>& refusals) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    for (const Refusal& refusal : refusals) {
        write_file(path, refusal.file);
        CHECK_THROWS_MATCHES(load_npy(path), IoError, Says("load_npy: " + path + ": " + refusal.sentence));
    }
}

}  // namespace

TEST_CASE("a dict that NumPy does not write is refused, with the byte where it goes wrong") {
    check_all({
        dict("", "the header ends before byte 64 of the file, wanted '{'"),
        dict("['descr', '<f4']", "byte 10 of the file is '[', wanted '{'"),
        dict("{}", "the header has no key 'descr', " + three),
        dict("{,}", "byte 11 of the file is ',', wanted the name of a key in quotes"),
        dict("{'descr': '<f4', 'shape': (1,), }", "the header has no key 'fortran_order', " + three),
        dict("{'descr': '<f4', 'fortran_order': False}", "the header has no key 'shape', " + three),
        dict("{'descr': '<f4', 'descr': '<f4'}", "the header has the key 'descr' twice, wanted it once"),
        dict("{'descr': '<f4', 'order': 'C'}", "the header has the key 'order', " + three + " alone"),
        dict("{descr: '<f4'}", "byte 11 of the file is 'd', wanted the name of a key in quotes"),
        dict("{b'descr': '<f4'}", "byte 11 of the file is 'b', wanted the name of a key in quotes"),
        dict("{'descr\": '<f4'}", "the header has the key 'descr\": ', " + three + " alone"),
        dict("{'descr", "byte 63 of the file is 0x0a, wanted the rest of a string in quotes, printable and "
                        "without escapes"),
        dict("{'de\\x73cr': '<f4'}", "byte 14 of the file is '\\', wanted the rest of a string in quotes, "
                                     "printable and without escapes"),
        dict("{'descr' '<f4'}", "byte 19 of the file is ''', wanted ':'"),
        dict("{'descr': '<f4' 'shape': (1,)}", "byte 26 of the file is ''', wanted ',' or '}'"),
        dict("{'descr': '<f4',, 'shape': (1,)}",
             "byte 26 of the file is ',', wanted the name of a key in quotes"),
        dict(good + "}", "byte 67 of the file is '}', wanted white space up to the end of the header"),
        dict(good.substr(0, good.size() - 1),
             "the header ends before byte 128 of the file, wanted the name of a key in quotes"),
    });
}

TEST_CASE("a dtype that frisket does not have is refused, with what to save instead") {
    const std::string known = "'|b1', '|u1', '<i4', '<i8', '<f4', '<f8', '<f2'";
    check_all({
        descr("'>f4'", "the elements are big-endian, '>f4', wanted '<f4': save array.astype('<f4')"),
        descr("'>f2'", "the elements are big-endian, '>f2', wanted '<f2': save array.astype('<f2')"),
        descr("'>i8'", "the elements are big-endian, '>i8', wanted '<i8': save array.astype('<i8')"),
        descr("'|O'", "the elements are Python objects, '|O', wanted numbers, one of " + known),
        descr("[('a', '<f4')]",
              "the dtype is structured, wanted plain numbers: save each of its fields as an array"),
        descr("'<i2'", "the dtype is '<i2', wanted one of " + known + ": save array.astype(…)"),
        descr("'<c8'", "the dtype is '<c8', wanted one of " + known + ": save array.astype(…)"),
        descr("'<U5'", "the dtype is '<U5', wanted one of " + known + ": save array.astype(…)"),
        descr("'>d'", "the elements are big-endian, '>d', wanted '<f8': save array.astype('<f8')"),
        descr("'4f'", "the dtype is '4f', wanted one of " + known + ": save array.astype(…)"),
        descr("'<'", "the dtype is '<', wanted one of " + known + ": save array.astype(…)"),
        descr("'<<f4'", "the dtype is '<<f4', wanted one of " + known + ": save array.astype(…)"),
        descr("'bfloat16'", "the dtype is 'bfloat16', wanted one of " + known + ": save array.astype(…)"),
        descr("'<f4 '", "the dtype is '<f4 ', wanted one of " + known + ": save array.astype(…)"),
        descr("''", "the dtype is '', wanted one of " + known + ": save array.astype(…)"),
        descr("4", "byte 20 of the file is '4', wanted a dtype in quotes"),
    });
}

TEST_CASE("an order and a shape are Python's, a shape has extents that a tensor can have") {
    check_all({
        order("0", "byte 44 of the file is '0', wanted True or False"),
        order("'False'", "byte 44 of the file is ''', wanted True or False"),
        order("false", "byte 44 of the file is 'f', wanted True or False"),
        order("Falsey", "byte 49 of the file is 'y', wanted ',' or '}'"),
        shape("(1)", "the shape is a number, (1), wanted a tuple, (1,)"),
        shape("1", "byte 60 of the file is '1', wanted the '(' of the shape"),
        shape("[1]", "byte 60 of the file is '[', wanted the '(' of the shape"),
        shape("(,)", "byte 61 of the file is ',', wanted an extent"),
        shape("(1,,1)", "byte 63 of the file is ',', wanted an extent"),
        shape("(1 1)", "byte 63 of the file is '1', wanted ',' or ')'"),
        shape("(1", "byte 64 of the file is '}', wanted an extent"),
        shape("(1LL,)", "byte 63 of the file is 'L', wanted ',' or ')'"),
        shape("(L,)", "byte 61 of the file is 'L', wanted an extent"),
        shape("(1.0,)", "byte 62 of the file is '.', wanted ',' or ')'"),
        shape("(-1,)", "byte 61 of the file is '-', wanted an extent, 0 or more"),
        shape("(+1,)", "byte 61 of the file is '+', wanted an extent"),
        shape("(01,)", "byte 61 of the file is '0', wanted an extent without leading zeros"),
        shape("(0x1,)", "byte 62 of the file is 'x', wanted ',' or ')'"),
        shape("(1_0,)", "byte 62 of the file is '_', wanted ',' or ')'"),
        shape("(9223372036854775808,)", "an extent begins with 9223372036854775808, wanted at most 2^63 - 1"),
        shape("(9223372036854775807,)",
              "shape [9223372036854775807] of float32 has more than 2^63 - 1 bytes: no file holds that"),
        shape("(4294967296, 4294967296)", "shape [4294967296, 4294967296] of float32 has more than 2^63 - 1 "
                                          "bytes: no file holds that"),
    });
}

TEST_CASE(
    "a header that NumPy reads is read, whoever wrote it: white space, padding, names of dtypes, longs") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    const auto is_read = [&](const std::string& header, DType dtype, const Shape& shape) {
        INFO(header);
        write_file(path, raw(header, std::string(static_cast<std::size_t>(6 * bytes_of(dtype)), '\1')));
        const AnyTensor found = load_npy(path);
        CHECK(found.dtype() == dtype);
        CHECK(found.shape() == shape);
    };
    const auto of = [](const std::string& descr, const std::string& shape) {
        return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
    };
    const std::pair<DType, std::vector<const char*>> names[] = {
        {DType::boolean, {"b1", "?", "bool"}},    {DType::uint8, {"u1", "B", "uint8"}},
        {DType::int32, {"i4", "i", "int32"}},     {DType::int64, {"i8", "q", "l", "int64"}},
        {DType::float16, {"f2", "e", "float16"}}, {DType::float32, {"f4", "f", "float32"}},
        {DType::float64, {"f8", "d", "float64"}},
    };
    for (const auto& [dtype, same] : names)
        for (const std::string name : same)
            for (const char* order : {"", "<", "=", "|"}) is_read(of(order + name, "(2, 3)"), dtype, {2, 3});
    for (const char* one_byte : {">b1", ">?"}) is_read(of(one_byte, "(6,)"), DType::boolean, {6});
    is_read(of(">u1", "(6,)"), DType::uint8, {6});
    for (const char* longs : {"(2L, 3L)", "(2L,3)", "( 2L\t,\n3L , )"})
        is_read(of("<f4", longs), DType::float32, {2, 3});
    const std::string plain = of("<f4", "(6L,)");
    for (const char* end : {"", "\n", " ", "\n ", "\t\r\n\n\f", "     \n"}) {
        is_read(plain + end, DType::float32, {6});
        is_read(end + plain + end, DType::float32, {6});
    }
    is_read("{\n\t'shape':\n(6,)\t,\r\n\"descr\" :\t'<f4',\n'fortran_order'\t:\tFalse\n,\n}", DType::float32,
            {6});
    is_read("{u'descr': u'<f4', u\"fortran_order\": False, u'shape': (6,)}", DType::float32, {6});
}

TEST_CASE("magic bytes, a version, a length and padding that no format has are refused") {
    std::string version = npy_file(good, std::string(4, '\0'));
    version[6] = 4;
    std::string minor = npy_file(good, std::string(4, '\0'));
    minor[7] = 1;
    check_all({
        {"", "it ends after 0 bytes, in the magic bytes that begin an .npy file: it was cut off, save it "
             "again"},
        {"0123456789", "it does not begin with \\x93NUMPY: it is no .npy file"},
        {"PK\x03\x04 and so on",
         "it is an archive of arrays (.npz), wanted one array (.npy): unpack it, or numpy.save it"},
        {version, "it is of format 4.0, wanted 1.0, 2.0 or 3.0"},
        {minor, "it is of format 1.1, wanted 1.0, 2.0 or 3.0"},
        {raw(good + "\n", "").replace(8, 1, "\x50"),
         "it ends after 68 bytes, in the header: it was cut off, save it again"},
        {raw(good + std::string("\0", 1)),
         "byte 67 of the file is 0x00, wanted white space up to the end of the header"},
        {npy_file(good, "", 2, 1 << 17), "its header has 131060 bytes, wanted at most 65535"},
        {npy_file(good, "").substr(0, 50),
         "it ends after 50 bytes, in the header: it was cut off, save it again"},
    });
}

TEST_CASE("elements that are too few, too many or no bools are refused") {
    check_all({
        {npy_file(good, std::string(3, '\0')), "it has 3 bytes of elements, shape [1] of float32 has 4: it "
                                               "was cut off, save it again"},
        {npy_file(good, std::string(6, '\0')), "it has 2 bytes after the elements of shape [1] of float32, "
                                               "wanted none: one array a file"},
        {npy_file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", std::string("\x01\x02")),
         "element 1 of dtype bool is byte 2, wanted 0 or 1"},
        {npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }", "abcd"),
         "it has 4 bytes of elements, shape [1000000000000] of float32 has 4000000000000: it was cut off, "
         "save it again"},
    });
}

TEST_CASE("a path that leads to no file is refused") {
    const TemporaryFolder folder;
    CHECK_THROWS_MATCHES(
        load_npy(folder / "none.npy"), IoError,
        Says("load_npy: " + folder / "none.npy" + ": it cannot be opened: No such file or directory"));
    CHECK_THROWS_MATCHES(load_npy(folder / ""), IoError,
                         Says("load_npy: " + folder / "" +
                              ": it is no regular file, wanted one: give the path of an .npy file"));
}

}  // namespace npy_headers_test
