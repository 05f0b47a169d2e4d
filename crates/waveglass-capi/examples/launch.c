/*
 * Launches a kernel of a code object by name, on arrays of this program.
 *
 *   cc launch.c -I../include -L../../../target/release -lwaveglass_capi -o launch
 *   ./launch ../../../tests/kernels/built/linear.O3.gfx90a.hsaco gfx90a
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "waveglass.h"

static void check(waveglass_status status) {
  if (status == WAVEGLASS_STATUS_OK)
    return;
  fprintf(stderr, "%s: %s\n", waveglass_status_name(status), waveglass_last_error());
  exit(1);
}

static void *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0) {
    perror(path);
    exit(1);
  }
  *size = (size_t)ftell(f);
  rewind(f);
  void *bytes = malloc(*size);
  if (!bytes || fread(bytes, 1, *size, f) != *size) {
    perror(path);
    exit(1);
  }
  fclose(f);
  return bytes;
}

enum { N = 1000 };

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: launch CODE-OBJECT TARGET\n");
    return 2;
  }
  if (waveglass_abi_version() != WAVEGLASS_ABI_VERSION) {
    fprintf(stderr, "the library %s does not fit the header\n", waveglass_version());
    return 1;
  }
  const size_t bytes = N * sizeof(float);
  float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
  if (!a || !b || !c)
    return 1;
  for (int i = 0; i < N; i++)
    a[i] = (float)i, b[i] = (float)(2 * i);

  /* What the program may touch: the inputs to read, the output to write, and nothing else. */
  waveglass_context *context;
  check(waveglass_context_create(argv[2], &context));
  check(waveglass_context_register(context, a, bytes, WAVEGLASS_READ_ONLY, "a"));
  check(waveglass_context_register(context, b, bytes, WAVEGLASS_READ_ONLY, "b"));
  check(waveglass_context_register(context, c, bytes, WAVEGLASS_READ_WRITE, "c"));

  size_t size;
  void *file = read_file(argv[1], &size);
  waveglass_module *module;
  check(waveglass_module_load(context, file, size, &module));
  free(file);

  /* The kernel's parameters, laid out as in C; their hidden companions are filled in. */
  struct {
    const float *a, *b;
    float *c;
    uint32_t n;
  } kernarg = {a, b, c, N};
  const uint32_t workgroups[3] = {(N + 127) / 128, 1, 1}, workgroup_size[3] = {128, 1, 1};
  check(waveglass_kernel_launch(context, module, "vector_add", workgroups, workgroup_size, &kernarg,
                                sizeof kernarg, 0));
  for (int i = 0; i < N; i++)
    if (c[i] != (float)(3 * i)) {
      fprintf(stderr, "c[%d] is %f\n", i, c[i]);
      return 1;
    }
  waveglass_counters counters;
  check(waveglass_context_counters(context, &counters, sizeof counters));
  printf("%" PRIu64 " workgroups, %" PRIu64 " instructions, %" PRIu64 " lane-operations, "
         "%" PRIu64 " bytes read, %" PRIu64 " written\n",
         counters.workgroups, counters.instructions, counters.lane_operations, counters.global_read,
         counters.global_written);

  /* One element too many: the run ends with a report of the access, and c[0] to c[N - 1] are right. */
  kernarg.n = N + 1;
  waveglass_status status = waveglass_kernel_launch(context, module, "vector_add", workgroups,
                                                    workgroup_size, &kernarg, sizeof kernarg, 0);
  if (status != WAVEGLASS_STATUS_MEMORY_VIOLATION || waveglass_context_fault_count(context) == 0)
    return 1;
  waveglass_fault fault;
  check(waveglass_context_fault(context, 0, &fault, sizeof fault));
  printf("%s at code offset %#" PRIx64 ": lane %" PRIu32 ", %" PRIu64 " bytes from the end of %s\n",
         fault.mnemonic, fault.code_offset, fault.lane, fault.distance, fault.nearest_name);
  /* All that went wrong, an entry for each instruction. */
  for (size_t i = 0; i < waveglass_context_fault_site_count(context); i++) {
    waveglass_fault_site site;
    check(waveglass_context_fault_site(context, i, &site, sizeof site));
    printf("%s: %" PRIu64 " times by %" PRIu64 " waves\n", site.instruction, site.count, site.wave_count);
  }

  waveglass_module_destroy(module);
  waveglass_context_destroy(context);
  free(a), free(b), free(c);
  printf("ok\n");
  return 0;
}
