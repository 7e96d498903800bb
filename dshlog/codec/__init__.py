"""Records to headers and events, one generation at a time; no judgement of meaning."""
