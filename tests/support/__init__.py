"""What several tests use: random problems, and runs of engines on them."""
