"""The hot path: what may be recalled, found and read in few constant statements."""
