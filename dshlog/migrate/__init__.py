"""The upgrade of dsh 0.2.1, edge by edge: events of one generation in, events of the next out, and every refusal."""
