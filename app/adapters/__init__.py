"""One module per outside thing, which translates its errors into ours."""
