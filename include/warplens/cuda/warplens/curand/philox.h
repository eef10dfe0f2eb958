// Philox4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11. The counter's upper
// half numbers the subsequence, its lower half the groups of four numbers in it.
#pragma once
#pragma GCC system_header

namespace warplens_curand {

struct Philox {
  uint4 counter, output;
  uint2 key;
  unsigned int used;  // of `output`
  int kept, kept_double;  // Kept
  float number;
  double number_double;
};

WARPLENS_DEVICE uint4 philox(uint4 c, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned int high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
    const unsigned int high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = uint4{high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return c;
}
WARPLENS_DEVICE void philox_advance(Philox* s, unsigned long long groups) {
  const unsigned long long low = static_cast<unsigned long long>(s->counter.y) << 32 | s->counter.x, sum = low + groups;
  s->counter.x = static_cast<unsigned int>(sum);
  s->counter.y = static_cast<unsigned int>(sum >> 32);
  if (sum < low && ++s->counter.z == 0) ++s->counter.w;
}
WARPLENS_DEVICE void philox_advance_sequences(Philox* s, unsigned long long n) {
  const unsigned long long sum = (static_cast<unsigned long long>(s->counter.w) << 32 | s->counter.z) + n;
  s->counter.z = static_cast<unsigned int>(sum);
  s->counter.w = static_cast<unsigned int>(sum >> 32);
}
WARPLENS_DEVICE void philox_skip(Philox* s, unsigned long long n) {
  s->used += static_cast<unsigned int>(n & 3);
  philox_advance(s, n / 4 + s->used / 4);
  s->used &= 3;
  s->output = philox(s->counter, s->key);
}

}  // namespace warplens_curand
