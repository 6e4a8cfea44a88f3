-- Callbacks are due at a nanosecond, not at a whole second, so that none is sent before its delay has passed.
UPDATE callbacks SET next_at = next_at * 1000000000;
