-- an index of the messages that the provider delivered late, so that a list up to a time does not look through those of a week; not breaking; builds a small index on a large table while it is written
-- Postgres takes an `=` for rare, so that it prefers this index to a range of all messages; a `<` it takes for common.
create index concurrently if not exists messages_late on messages (workspace_id, id)
where case when created_at < to_timestamp(
  ('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint::float8 / 1000 - 60) then 1 end = 1;
