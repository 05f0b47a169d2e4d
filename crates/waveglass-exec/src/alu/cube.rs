//! cube.
