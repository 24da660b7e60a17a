-- outside a transaction
-- oldest version: 0.1.0
-- Open temperature alerts by their last reading.
create index concurrently if not exists alerts_open_temperatures on alerts (updated_at)
    where kind = 'temperature' and closed_at is null;
