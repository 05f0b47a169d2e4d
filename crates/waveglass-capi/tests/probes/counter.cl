// Counts its launches in a variable of the code object.
global uint launches = 40;

kernel void counter(global uint *out) { *out = ++launches; }
