// The built-in functions that the kernels use, for clang without its OpenCL headers and device libraries.
#define CLK_LOCAL_MEM_FENCE 1

static inline __attribute__((always_inline)) unsigned get_local_id(unsigned d) {
  return d == 0 ? __builtin_amdgcn_workitem_id_x() : d == 1 ? __builtin_amdgcn_workitem_id_y() : __builtin_amdgcn_workitem_id_z();
}

static inline __attribute__((always_inline)) unsigned get_group_id(unsigned d) {
  return d == 0   ? __builtin_amdgcn_workgroup_id_x()
         : d == 1 ? __builtin_amdgcn_workgroup_id_y()
                  : __builtin_amdgcn_workgroup_id_z();
}

#define fma(a, b, c) __builtin_fmaf(a, b, c)

static inline __attribute__((always_inline)) void barrier(unsigned flags) {
  (void)flags;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
