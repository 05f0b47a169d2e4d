// C = A * B for matrices of 512 x 512, row major: tiles of 16 x 16 in local memory, an element a work-item.
// The benchmark gives this source to an OpenCL implementation as it is.
#define N 512
#define TILE 16

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void matmul(global const float *restrict a, global const float *restrict b, global float *restrict c) {
  local float tile_a[TILE][TILE];
  local float tile_b[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
  float sum = 0.0f;
  for (int k = 0; k < N; k += TILE) {
    tile_a[y][x] = a[row * N + k + x];
    tile_b[y][x] = b[(k + y) * N + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i)
      sum = fma(tile_a[y][i], tile_b[i][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * N + column] = sum;
}
