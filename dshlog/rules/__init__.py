"""What a log must satisfy, as data and small functions, and the register of all codes."""
