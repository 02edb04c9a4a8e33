// SPDX-License-Identifier: MIT
// Memory that is not frisket's own: arrays of the user's, other libraries' through DLPack, NumPy's files.
#include <frisket/dlpack.hpp>
#include <frisket/frisket.hpp>

#include <filesystem>
#include <iostream>

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;

constexpr auto sgd = step<"sgd">(param -= lr * grad);

/// Points that a program has had all along, with more members than the one that is trained.
struct Point {
    float x, y, z;
    float weight;
};

/// The weights of an array of points, one every four floats.
Tensor<float> weights_of(std::vector<Point>& points) {
    return Tensor<float>::view(&points[0].weight, {static_cast<std::int64_t>(points.size())},
                               {sizeof(Point) / sizeof(float)});
}

}  // namespace

int main() {
    std::vector<Point> points = {{1, 1, 1, 10}, {2, 2, 2, 20}, {3, 3, 3, 30}, {4, 4, 4, 40}};
    const Tensor<float> weights = weights_of(points);

    // [view]
    const auto gradient = MaskedTensor<float>::coo({4}, {{1, 3}}, {5, 6});
    jit(sgd)(param = weights, grad = gradient, lr = 1.0);
    std::cout << "weights in place: " << points[0].weight << " " << points[1].weight << " "
              << points[2].weight << " " << points[3].weight << ", beside them still " << points[1].z << "\n";
    // [/view]

    // [dlpack]
    DLManagedTensorVersioned* managed = to_dlpack(weights);  // for another library: no copy, kept alive
    const Tensor<float> taken(from_dlpack(managed));         // takes memory of that library
    taken.at({0}) = 11;
    std::cout << "the same memory: " << std::boolalpha << (taken.data() == weights.data()) << ", "
              << points[0].weight << "\n";
    // [/dlpack]

    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "frisket_example_07";
    std::filesystem::create_directories(folder);
    const std::string values = folder / "values.npy", mask = folder / "mask.npy";

    // [npy]
    save_npy(values, gradient.to_dense(0));  // numpy.load("values.npy") reads it
    save_npy(mask, gradient.mask_tensor());
    const MaskedTensor<float> loaded = masked(load_npy<float>(values), load_npy<bool>(mask));
    std::cout << "saved and loaded: " << loaded << "\n";
    // [/npy]

    try {
        (void)load_npy<double>(values);
    } catch (const DTypeError& error) {
        const std::string text = error.what();
        std::cout << text.substr(text.find("it holds")) << "\n";
    }
    std::filesystem::remove_all(folder);
}

// Output:
// weights in place: 10 15 30 34, beside them still 2
// the same memory: true, 11
// saved and loaded: MaskedTensor(
//   [      --,   5.0000,       --,   6.0000]
// )
// it holds float32, wanted float64: load it as float32
