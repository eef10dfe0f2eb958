__global__ void broken(int* out) { out[threadIdx.x] = undeclared_name; }

int main() { return 0; }
