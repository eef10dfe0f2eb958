// The part of the device runtime (libcudadevrt) on which linked programs build barriers across a grid: NVIDIA's library
// makes it of calls into the driver. Clients that know cooperative groups, such as Numba, call it.
#pragma once

namespace warplens::cuda::driver {

// PTX with cudaCGGetIntrinsicHandle and cudaCGSynchronize.
extern const char* const kDeviceRuntime;

}  // namespace warplens::cuda::driver
