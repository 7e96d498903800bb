"""Events to derived state, one step at a time: surface, open tail, requests."""
