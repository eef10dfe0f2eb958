// A picture is turned, filtered, into a surface; a cubic filter is made of two linear ones.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

#include <vector>

constexpr int kWidth = 64, kHeight = 48;

__global__ void turn(cudaTextureObject_t picture, cudaSurfaceObject_t out, float angle) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float u = x / (float)kWidth - 0.5f, v = y / (float)kHeight - 0.5f;
  float turned = tex2D<float>(picture, u * cosf(angle) - v * sinf(angle) + 0.5f, v * cosf(angle) + u * sinf(angle) + 0.5f);
  surf2Dwrite(turned, out, x * 4, y);
}

// A row of a cubic B-spline, by two fetches between texels in place of four.
__global__ void smooth(cudaTextureObject_t row, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = i * 0.25f, whole = floorf(x - 0.5f), f = x - 0.5f - whole;
  float w0 = (1 - f) * (1 - f) * (1 - f) / 6, w1 = (4 - 6 * f * f + 3 * f * f * f) / 6, w3 = f * f * f / 6;
  float w2 = 1 - w0 - w1 - w3, left = w0 + w1, right = w2 + w3;
  out[i] = left * tex1D<float>(row, whole - 0.5f + w1 / left) + right * tex1D<float>(row, whole + 1.5f + w3 / right);
}

static cudaTextureObject_t texture_of(cudaArray_t array, bool normalized, cudaTextureAddressMode mode) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc desc{};
  for (auto& axis : desc.addressMode) axis = mode;
  desc.filterMode = cudaFilterModeLinear;
  desc.normalizedCoords = normalized;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &desc, nullptr);
  return texture;
}

int main() {
  std::vector<float> picture(kWidth * kHeight), turned(kWidth * kHeight), smoothed(256);
  for (size_t i = 0; i < picture.size(); i++) picture[i] = (float)(i % 97);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t in, out, row;
  cudaMallocArray(&in, &format, kWidth, kHeight);
  cudaMallocArray(&out, &format, kWidth, kHeight, cudaArraySurfaceLoadStore);
  cudaMallocArray(&row, &format, kWidth);
  cudaMemcpy2DToArray(in, 0, 0, picture.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice);
  cudaMemcpy2DToArray(row, 0, 0, picture.data(), kWidth * 4, kWidth * 4, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = out;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  turn<<<dim3(4, 6), dim3(16, 8)>>>(texture_of(in, true, cudaAddressModeWrap), surface, 3.14159265f);
  cudaMemcpy2DFromArray(turned.data(), kWidth * 4, out, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost);
  float worst = 0;  // half a turn swaps the corners
  for (int y = 1; y < kHeight; y++)
    for (int x = 1; x < kWidth; x++) {
      float expected = 0.25f * (picture[(kHeight - y) * kWidth + kWidth - x] + picture[(kHeight - y - 1) * kWidth + kWidth - x] +
                                picture[(kHeight - y) * kWidth + kWidth - x - 1] + picture[(kHeight - y - 1) * kWidth + kWidth - x - 1]);
      worst = fmaxf(worst, fabsf(turned[y * kWidth + x] - expected));
    }
  printf("turned, within %d 256ths of a texel's difference\n", worst < 97 / 128.0f ? 2 : 97);
  float* device;
  cudaMalloc(&device, smoothed.size() * 4);
  smooth<<<2, 128>>>(texture_of(row, false, cudaAddressModeClamp), device, 250);
  cudaMemcpy(smoothed.data(), device, smoothed.size() * 4, cudaMemcpyDeviceToHost);
  printf("smooth %.2f %.2f %.2f\n", smoothed[40], smoothed[41], smoothed[100]);  // a ramp stays one
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
