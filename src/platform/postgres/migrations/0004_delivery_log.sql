-- the delivery log: an index for every filter, where an attempt went; not breaking
-- An event kind or a conversation may be rare among millions of rows: without these its list would read them all.
create index deliveries_kind on deliveries (workspace_id, kind, id desc);
create index deliveries_key on deliveries (workspace_id, key, id desc);
-- What a bulk replay counts and takes; failures are few, so the index is small.
create index deliveries_failed on deliveries (endpoint_id, id) where state = 'FAILED';

alter table attempts add column remote_address text, add column reused_connection boolean;

-- Attaching waits for nobody who reads or writes; a partition made in place would lock the table against everybody.
create or replace function ensure_day_partition(parent text, day date) returns void language plpgsql as $$
declare
  child text := parent || '_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(child) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('partition:' || child));
  if to_regclass(child) is null then
    execute format('create table %I (like %I including all)', child, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child,
      uuid_floor(day::timestamp at time zone 'UTC'), uuid_floor((day + 1)::timestamp at time zone 'UTC'));
  end if;
end
$$;
