"""What people look at. Results are computed elsewhere; here they are only shown."""
