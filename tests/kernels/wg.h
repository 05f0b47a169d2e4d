// What the test kernels need of HIP, and nothing else: they are built without HIP's headers and device
// libraries, so that everything a kernel executes is in its own source or in the compiler.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE __attribute__((always_inline))

// A kernel keeps its source name, and HIP's default bound of 1024 work-items is lowered to 256 so that the
// compiler may use more than 64 VGPRs.
#define KERNEL extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

typedef f32 f32x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef i16 i16x2 __attribute__((ext_vector_type(2)));
typedef u16 u16x2 __attribute__((ext_vector_type(2)));

// Address spaces by LLVM's numbers (AMDGPUUsage, "Address Spaces").
#define AS_GLOBAL __attribute__((address_space(1)))
#define AS_LDS __attribute__((address_space(3)))
#define AS_CONSTANT __attribute__((address_space(4)))
#define AS_PRIVATE __attribute__((address_space(5)))

__device__ static inline u32 thread_x() { return __builtin_amdgcn_workitem_id_x(); }
__device__ static inline u32 thread_y() { return __builtin_amdgcn_workitem_id_y(); }
__device__ static inline u32 thread_z() { return __builtin_amdgcn_workitem_id_z(); }
__device__ static inline u32 block_x() { return __builtin_amdgcn_workgroup_id_x(); }
__device__ static inline u32 block_y() { return __builtin_amdgcn_workgroup_id_y(); }
__device__ static inline u32 block_z() { return __builtin_amdgcn_workgroup_id_z(); }
// From the hidden arguments in code object V5 and V6, from the dispatch packet in V4.
__device__ static inline u32 block_dim_x() { return __builtin_amdgcn_workgroup_size_x(); }
__device__ static inline u32 block_dim_y() { return __builtin_amdgcn_workgroup_size_y(); }
__device__ static inline u32 block_dim_z() { return __builtin_amdgcn_workgroup_size_z(); }
__device__ static inline u32 global_x() { return block_x() * block_dim_x() + thread_x(); }
// Work-items in the whole grid along x.
__device__ static inline u32 grid_size_x() { return __builtin_amdgcn_grid_size_x(); }

__device__ static inline void sync_threads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#define AGENT __HIP_MEMORY_SCOPE_AGENT
#define WORKGROUP __HIP_MEMORY_SCOPE_WORKGROUP

template <class T> __device__ static inline u32 bits32(T v) {
  static_assert(sizeof(T) == 4, "");
  return __builtin_bit_cast(u32, v);
}
template <class T> __device__ static inline u64 bits64(T v) {
  static_assert(sizeof(T) == 8, "");
  return __builtin_bit_cast(u64, v);
}
