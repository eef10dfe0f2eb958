// Where each query would be inserted into a sorted table.
extern "C" __global__ void binary_search(const int* table, const int* query, int* out, int n, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int wanted = query[i], low = 0, high = size;
  while (low < high) {
    int middle = (low + high) / 2;
    if (table[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
}
