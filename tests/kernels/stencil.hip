// Stencils: nine points of a plane from a tile with its halo in LDS; seven points of a volume, marching along z with
// the column in registers.
#include "wg.h"

#define SIDE 16

// Outside points count as zero. `weights` are the centre's, the edges' and the corners'.
KERNEL stencil_9(const f32 *in, f32 *out, u32 width, u32 height, f32 centre, f32 edge, f32 corner) {
  __shared__ f32 tile[SIDE + 2][SIDE + 2];
  u32 tx = thread_x(), ty = thread_y();
  i32 x0 = (i32)(block_x() * SIDE) - 1, y0 = (i32)(block_y() * SIDE) - 1;
  for (u32 i = ty * SIDE + tx; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
    i32 x = x0 + (i32)(i % (SIDE + 2)), y = y0 + (i32)(i / (SIDE + 2));
    bool inside = x >= 0 && y >= 0 && x < (i32)width && y < (i32)height;
    tile[i / (SIDE + 2)][i % (SIDE + 2)] = inside ? in[(u32)y * width + (u32)x] : 0.0f;
  }
  sync_threads();
  u32 x = block_x() * SIDE + tx, y = block_y() * SIDE + ty;
  if (x >= width || y >= height)
    return;
  f32(*at)[SIDE + 2] = &tile[ty];
  f32 edges = at[0][tx + 1] + at[1][tx] + at[1][tx + 2] + at[2][tx + 1];
  f32 corners = at[0][tx] + at[0][tx + 2] + at[2][tx] + at[2][tx + 2];
  out[y * width + x] = centre * at[1][tx + 1] + edge * edges + corner * corners;
}

// The border keeps its values.
KERNEL stencil_7(const f64 *in, f64 *out, u32 nx, u32 ny, u32 nz, f64 centre, f64 face) {
  u32 x = global_x(), y = block_y() * block_dim_y() + thread_y();
  if (x >= nx || y >= ny)
    return;
  u32 plane = nx * ny, at = y * nx + x;
  bool border = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
  f64 below = 0, here = in[at], above = nz > 1 ? in[at + plane] : 0;
  out[at] = here;
  for (u32 z = 1; z < nz; ++z) {
    below = here;
    here = above;
    at += plane;
    above = z + 1 < nz ? in[at + plane] : 0;
    if (border || z == nz - 1)
      out[at] = here;
    else {
      f64 faces = in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + below + above;
      out[at] = __builtin_fma(face, faces, centre * here);
    }
  }
}
