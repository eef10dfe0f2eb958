// f(
/* " */ namespace ns { __global__ void f(int a[4], std::pair<int, int> p, int) {} }
"f($0+8 / $1)"