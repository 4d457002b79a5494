"""What operators need: workers, readiness, the doctor, figures, projections made anew."""
