// Arguments for functions: of every magnitude, and where functions are hard.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <type_traits>

namespace warplens::accuracy {

// Arguments of every magnitude, and those where functions are hard: near multiples of pi/2, near whole numbers, near 1.
class Arguments {
 public:
  template <typename T>
  T number() {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const auto near = [&](double x) {
      return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(static_cast<T>(x)) + pick(9) - 4));
    };
    switch (pick(10)) {
      case 0: {
        static const double kEdges[] = {0.0,     -0.0,           1,         -1,        0.5,      -0.5,      2,
                                        -2,      HUGE_VAL,       -HUGE_VAL, NAN,       0x1p-149, -0x1p-149, 0x1p-126,
                                        0x1p127, 0x1.fffffep127, 0x1p-1022, 0x1p-1074, 10,       8,         1e10};
        return static_cast<T>(kEdges[pick(std::size(kEdges))]);
      }
      case 1:
        return near((static_cast<int>(pick(201)) - 100) * M_PI_2);
      case 2:
        return near((static_cast<int>(pick(401)) - 200) * 0.5);
      case 3:
        return near(pick(2) ? 1 : -1);
      case 4:
      case 5:
        return std::bit_cast<T>(static_cast<Bits>(random_()));  // any bits
      case 6:
        return static_cast<T>(2 * unit() - 1);
      case 7:
        return static_cast<T>(200 * unit() - 100);
      default:
        return static_cast<T>((pick(2) ? 1 : -1) * std::exp2(40 * unit() - 30));
    }
  }
  uint64_t integer() {
    static const uint64_t kEdges[] = {
        0,        1,         2,         ~0ull, 0x7fffffff, 0x80000000, 0x7fffffffffffffff, 0x8000000000000000,
        0xffffff, 0x1000001, 0xffffffff};
    return pick(3) == 0 ? kEdges[pick(std::size(kEdges))] : pick(2) ? random_() : random_() >> pick(63);
  }
  uint64_t of(char letter) {
    if (letter == 'f') return std::bit_cast<uint32_t>(number<float>());
    if (letter == 'd') return std::bit_cast<uint64_t>(number<double>());
    return letter == 'i' ? integer() & 0xffffffff : integer();
  }
  uint64_t pick(uint64_t below) { return random_() % below; }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 random_{1};
};

}  // namespace warplens::accuracy
