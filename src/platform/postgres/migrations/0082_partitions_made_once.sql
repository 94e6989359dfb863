-- two processes that make the same partition at once: the second finds what the first made; not breaking

create or replace function ensure_day_partition(parent text, day date) returns void language plpgsql as $$
declare
  child text := parent || '_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(child) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('partition:' || child));
  -- Reads the table. to_regclass answers from the cache of this connection, which a wait for an advisory lock does not
  -- renew: the cache still says that there is no such name.
  if not exists (select from pg_class where relname = child and relnamespace = current_schema()::regnamespace) then
    execute format('create table %I (like %I including all)', child, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child,
      uuid_floor(day::timestamp at time zone 'UTC'), uuid_floor((day + 1)::timestamp at time zone 'UTC'));
  end if;
end
$$;
