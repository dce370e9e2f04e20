"""Parts of the lab: see README.md of the kit."""
