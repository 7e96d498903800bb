"""From bytes and findings to a plan, and from a plan to the bytes of a log that dsh opens."""
