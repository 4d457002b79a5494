"""What follows a change: notes for those who derive, and derived items taken away."""
