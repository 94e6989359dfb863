-- attempts of each workspace by quarter of an hour and duration; not breaking
-- Gateways add what they tallied every few seconds. A bucket holds durations from 2^(bucket/4) milliseconds on. Rows are
-- updated for a quarter of an hour and never again, so their page keeps room for it.
create table attempt_rates (
  workspace_id uuid not null,
  at timestamptz(3) not null,
  bucket smallint not null,
  attempts integer not null,
  failures integer not null,
  primary key (workspace_id, at, bucket)
) with (fillfactor = 70);
create index attempt_rates_age on attempt_rates (at);
