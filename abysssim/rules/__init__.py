"""What is printed on the components, as data, and the loader that checks it."""
