// An image turned by an angle about its middle: filtered fetches of a texture.
extern "C" __global__ void rotate(cudaTextureObject_t image, float* out, int n, float cosine, float sine) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float u = x - 0.5f * n, v = y - 0.5f * n;
  out[y * n + x] = tex2D<float>(image, cosine * u - sine * v + 0.5f * n, sine * u + cosine * v + 0.5f * n);
}
