// A kernel with pointer and scalar arguments, LDS, and a pointer in global data (a dynamic relocation).
#define global __attribute__((global))
#define device __attribute__((device))
device int table[4] = {1, 2, 3, 4};
device int *pointer = &table[1];
#ifndef __HIP_DEVICE_COMPILE__
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
#endif
extern "C" global __attribute__((amdgpu_flat_work_group_size(1, 256)))
void vadd(const float *a, const float *b, float *c, unsigned n, int *unused) {
  __attribute__((shared)) static float tile[64];
  unsigned i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  tile[i & 63] = a[i];
  __builtin_amdgcn_s_barrier();
  if (i < n)
    c[i] = tile[(i + 1) & 63] + b[i] + (float)*pointer;
}
