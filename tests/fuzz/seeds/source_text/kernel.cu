template <class T>
__global__ void __launch_bounds__(256) f(const T* __restrict__ in = 0, int n) { }
