"""Small algebra for kernels."""
