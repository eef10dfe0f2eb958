#include "cuda/driver/device_runtime.h"

namespace warplens::cuda::driver {

// The handle of the grid (scope 1) is where the counter of its barrier lies, which a cooperative launch puts into
// %envreg1 and 2; null in others and for other scopes. The barrier: every block adds 1 to the counter's second word,
// but the first what makes the sum of all 2^31, so that the top bit turns over when the last one is there. Without a
// handle it is cudaErrorUnknown.
const char* const kDeviceRuntime = R"(.version 6.0
.target sm_70
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d;
  mov.u32 %r1, %envreg2;
  mov.u32 %r2, %envreg1;
  mov.b64 %d, {%r1, %r2};
  ld.param.b32 %r3, [scope];
  setp.ne.u32 %p, %r3, 1;
  @%p mov.u64 %d, 0;
  st.param.b64 [handle], %d;
  ret;
}
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags) {
  .reg .pred %p;
  .reg .b32 %r<12>;
  .reg .b64 %counter;
  mov.u32 %r1, 999;
  ld.param.b64 %counter, [handle];
  setp.eq.u64 %p, %counter, 0;
  @%p bra DONE;
  bar.sync 0;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %tid.y;
  or.b32 %r2, %r2, %r3;
  mov.u32 %r3, %tid.z;
  or.b32 %r2, %r2, %r3;
  setp.ne.u32 %p, %r2, 0;
  @%p bra OTHER_THREADS;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ctaid.y;
  or.b32 %r4, %r4, %r5;
  mov.u32 %r5, %ctaid.z;
  or.b32 %r4, %r4, %r5;
  mov.u32 %r6, %nctaid.x;
  mov.u32 %r7, %nctaid.y;
  mul.lo.u32 %r6, %r6, %r7;
  mov.u32 %r7, %nctaid.z;
  mul.lo.u32 %r6, %r6, %r7;
  mov.u32 %r8, 1;
  setp.ne.u32 %p, %r4, 0;
  @%p bra ARRIVE;
  sub.u32 %r8, 0x80000001, %r6;
ARRIVE:
  atom.add.release.gpu.u32 %r9, [%counter+4], %r8;
WAIT:
  ld.acquire.gpu.u32 %r10, [%counter+4];
  xor.b32 %r11, %r9, %r10;
  setp.ge.s32 %p, %r11, 0;
  @%p bra WAIT;
OTHER_THREADS:
  bar.sync 0;
  mov.u32 %r1, 0;
DONE:
  st.param.b32 [error], %r1;
  ret;
}
)";

}  // namespace warplens::cuda::driver
