-- the attempt that delivers an event at once is kept in the row of its delivery; not breaking; the release before does not show such attempts
-- It succeeded, and began within a minute of the delivery: every other attempt has a row of its own.
alter table deliveries
  add column first_attempt_at timestamptz(3),
  add column first_duration_ms integer,
  add column first_status_code integer,
  add column first_timings jsonb,
  add column first_response_headers jsonb,
  add column first_response_body bytea,
  add column first_remote_address text,
  add column first_reused_connection boolean;
