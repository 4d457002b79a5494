"""Full text that is lost or of another analyser, made anew."""
