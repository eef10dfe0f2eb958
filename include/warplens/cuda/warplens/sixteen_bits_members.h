// The constructors, assignments and conversions that __half and __nv_bfloat16 have alike; a class lists them by
// WARPLENS_MEMBERS_16(class). They are defined in warplens/sixteen_bits_functions.h.
#undef WARPLENS_MEMBERS_16
#if T16_NO_CONVERSIONS
#define WARPLENS_MEMBERS_16(name)
#else
#define WARPLENS_MEMBERS_16_OF(name, type)             \
  __host__ __device__ name(type v);                    \
  __host__ __device__ name& operator=(type v);         \
  __host__ __device__ operator type() const;
#define WARPLENS_MEMBERS_16(name)                      \
  __host__ __device__ name(float v);                   \
  __host__ __device__ name(double v);                  \
  __host__ __device__ name& operator=(float v);        \
  __host__ __device__ name& operator=(double v);       \
  __host__ __device__ operator float() const;          \
  __host__ __device__ operator bool() const;           \
  __host__ __device__ operator char() const;           \
  __host__ __device__ operator signed char() const;    \
  __host__ __device__ operator unsigned char() const;  \
  WARPLENS_MEMBERS_16_OF(name, short)                  \
  WARPLENS_MEMBERS_16_OF(name, unsigned short)         \
  WARPLENS_MEMBERS_16_OF(name, int)                    \
  WARPLENS_MEMBERS_16_OF(name, unsigned int)           \
  WARPLENS_MEMBERS_16_OF(name, long)                   \
  WARPLENS_MEMBERS_16_OF(name, unsigned long)          \
  WARPLENS_MEMBERS_16_OF(name, long long)              \
  WARPLENS_MEMBERS_16_OF(name, unsigned long long)
#endif
