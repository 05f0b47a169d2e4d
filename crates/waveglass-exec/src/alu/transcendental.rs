//! transcendental.
