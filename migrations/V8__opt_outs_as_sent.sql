-- How the service has an opt-out that was made here and sent: its type, its time and the number of its asset. NULL where
-- they are the record's own.
ALTER TABLE opt_outs ADD COLUMN service_kind TEXT;
ALTER TABLE opt_outs ADD COLUMN service_time INTEGER;
ALTER TABLE opt_outs ADD COLUMN service_number TEXT;
