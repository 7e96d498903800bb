"""Arguments in, one report call, one render call, one exit code."""
