// SPDX-License-Identifier: MIT
// docs/guides/eigen.md: both sides of each row, and their elements computed by hand.
#include "guide_rows.hpp"

#include <catch2/catch_test_macros.hpp>

#if __has_include(<Eigen/Sparse>)
#define FRISKET_EIGEN 1
#include <Eigen/Dense>
#include <Eigen/Sparse>
#else
#define FRISKET_EIGEN 0
#endif

namespace from_eigen_test {

namespace {

using frisket::testing::GuideRow, frisket::testing::Numbers, frisket::testing::numbers;

namespace of_frisket {

using namespace frisket;

// [symbols]
constexpr InOut<"position"> position;
constexpr In<"speed"> speed;
constexpr Scalar<"dt"> dt;
// [/symbols]

/// The names of the rows on frisket's side.
struct Names {
    // [names]
    float data[6] = {1, -2, 3, 4, 5, -6};
    Tensor<float> x{{2, 3}, {1, -2, 3, 4, 5, -6}};
    Tensor<float> v{{2, 3}, {10, 20, 30, 40, 50, 60}};
    Tensor<float> y{{3, 2}, {1, 2, 3, 4, 5, 6}};
    MaskedTensor<float> s = MaskedTensor<float>::csr({2, 3}, {0, 2, 3}, {0, 2, 1}, {7, 8, 9});
    // [/names]
};

}  // namespace of_frisket

#define GUIDE_OURS(code, value)                                                                              \
    [] {                                                                                                     \
        using namespace of_frisket;                                                                          \
        Names names;                                                                                         \
        [[maybe_unused]] auto& [data, x, v, y, s] = names;                                                   \
        FRISKET_BARE code;                                                                                   \
        return numbers(value);                                                                               \
    }

#if FRISKET_EIGEN
/// The names of the rows on Eigen's side.
struct NamesOfEigen {
    float data[6] = {1, -2, 3, 4, 5, -6};
    Eigen::ArrayXXf x{{1, -2, 3}, {4, 5, -6}};
    Eigen::ArrayXXf v{{10, 20, 30}, {40, 50, 60}};
    Eigen::ArrayXXf y{{1, 2}, {3, 4}, {5, 6}};
    int starts[3] = {0, 2, 3}, columns[3] = {0, 2, 1};
    float stored[3] = {7, 8, 9};
    Eigen::SparseMatrix<float, Eigen::RowMajor> s =
        Eigen::Map<Eigen::SparseMatrix<float, Eigen::RowMajor>>(2, 3, 3, starts, columns, stored);
};

template <class E>
Numbers numbers(const Eigen::EigenBase<E>& expression) {
    Numbers found;
    if constexpr (std::is_same_v<typename Eigen::internal::traits<E>::StorageKind, Eigen::Sparse>) {
        return numbers(Eigen::MatrixXf(expression));
    } else {
        const auto& dense = expression.derived().eval();
        for (int i = 0; i < dense.rows(); ++i)
            for (int j = 0; j < dense.cols(); ++j) found.push_back(dense(i, j));
    }
    return found;
}

#define GUIDE_THEIRS(code, value)                                                                            \
    [] {                                                                                                     \
        using namespace Eigen;                                                                               \
        NamesOfEigen names;                                                                                  \
        [[maybe_unused]] auto& [data, x, v, y, starts, columns, stored, s] = names;                          \
        FRISKET_BARE code;                                                                                   \
        return numbers(value);                                                                               \
    }
#else
#define GUIDE_THEIRS(code, value)                                                                            \
    {}
#endif

std::vector<GuideRow> rows() {
    return {
        GUIDE_ROW((ArrayXXf::Constant(2, 3, 1)), (full<float>({2, 3}, 1)), 1, 1, 1, 1, 1, 1),
        GUIDE_ROW((Map<Array<float, 2, 3, RowMajor>>(data)), (Tensor<float>::view(data, {2, 3})), 1, -2, 3, 4,
                  5, -6),
        GUIDE_ROW((x * x + 1), (eval(x * x + 1)), 2, 5, 10, 17, 26, 37),
        GUIDE_CHANGE(v, (v = x * x + 1), (eval_into(v, x * x + 1)), 2, 5, 10, 17, 26, 37),
        GUIDE_CHANGE(x, (x += 0.1 * v),
                     (jit(step<"move">(position += dt * speed))(position = x, speed = v, dt = 0.1)), 2, 0, 6,
                     8, 10, 0),
        GUIDE_ROW((x.abs().sqrt()), (eval(sqrt(abs(x)))), 1, 1.41421356, 1.73205081, 2, 2.23606798,
                  2.44948974),
        GUIDE_ROW((x.max(3)), (eval(max(x, 3))), 3, 3, 3, 4, 5, 3),
        GUIDE_ROW(((x > 0).select(x, v)), (eval(where(x > 0, x, v))), 1, 20, 3, 4, 5, 60),
        GUIDE_ROW((x.rowwise().sum()), (eval(sum(x, {1}))), 2, 3),
        GUIDE_ROW((x.colwise().maxCoeff()), (eval(amax(x, {0}))), 4, 5, 3),
        GUIDE_ROW((x.mean()), (eval(mean(x)).item()), 5.0 / 6),
        GUIDE_ROW(((x > 0).count()), (eval(sum(x > 0)).item()), 4),
        GUIDE_ROW((x.matrix().norm()), (eval(norm(x)).item()), 9.53939201),
        GUIDE_ROW((x.colwise() - x.rowwise().mean()), (eval(x - mean(x, {1}, keepdim))), 1.0 / 3, -8.0 / 3,
                  7.0 / 3, 3, 4, -7),
        GUIDE_ROW((x.transpose()), (x.transpose(0, 1)), 1, 4, -2, 5, 3, -6),
        GUIDE_ROW((x.block(0, 1, 2, 2)), (x.slice(1, 1, 3)), -2, 3, 5, -6),
        GUIDE_ROW((x.matrix() * y.matrix()), (eval(matmul(x, y))), 10, 12, -11, -8),
        GUIDE_ROW((Map<SparseMatrix<float, RowMajor>>(2, 3, 3, starts, columns, stored)),
                  (MaskedTensor<float>::csr({2, 3}, {0, 2, 3}, {0, 2, 1}, {7, 8, 9})), 7, 0, 8, 0, 9, 0),
        GUIDE_ROW((s.nonZeros()), (s.specified_count()), 3),
        GUIDE_ROW((MatrixXf(s)), (s.to_dense(0)), 7, 0, 8, 0, 9, 0),
        GUIDE_ROW((s * 2), (eval(s * 2)), 14, 0, 16, 0, 18, 0),
        GUIDE_ROW((s * y.matrix()), (eval(matmul(s, y))), 47, 62, 27, 36),
        GUIDE_ROW((s.cwiseProduct(x.matrix())), (eval(s * x)), 7, 0, 24, 0, 45, 0),
    };
}

#undef GUIDE_OURS
#undef GUIDE_THEIRS

}  // namespace

TEST_CASE("the guide for users of Eigen has the rows that this file runs") {
    frisket::testing::check_code("eigen", rows());
}

TEST_CASE("each of our spellings in the guide for users of Eigen has the value computed by hand") {
    frisket::testing::check_values(rows(), &GuideRow::by_ours);
}

TEST_CASE("each of Eigen's spellings in the guide has the value of ours") {
    if (!FRISKET_EIGEN) SKIP("Eigen is absent");
    frisket::testing::check_values(rows(), &GuideRow::by_theirs);
}

}  // namespace from_eigen_test
