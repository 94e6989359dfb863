-- every element of the provider's webhooks as it came, and what was made of it; not breaking
-- One row for each message, status, call or change, by day as events. The id begins with the time of arrival. What was
-- made into something has its subject; what was not has a reason. `people` is set where there was no subject on arrival:
-- an erasure finds the others by their subject. Every text has two indexes besides the key, so nothing more goes into them.
create table inbound_elements (
  id uuid primary key,
  -- Null where the element names nothing that belongs to exactly one workspace.
  workspace_id uuid,
  subject_kind text check (subject_kind in ('message', 'call')),
  subject_id uuid,
  reason text,
  field text,
  part text,
  phone_number_id text,
  waba_id text,
  people text[],
  body text not null,
  -- Of the whole body, where only its beginning is kept.
  full_bytes integer,
  applied_at timestamptz(3)
) partition by range (id);
create index inbound_elements_workspace on inbound_elements (workspace_id, id);
create index inbound_elements_subject on inbound_elements (subject_id) where subject_id is not null;
create index inbound_elements_unlinked on inbound_elements (workspace_id, id) where people is not null;
create index inbound_elements_unapplied on inbound_elements (id) where reason is not null and applied_at is null;

create or replace function ensure_partitions(days_ahead integer) returns void language plpgsql as $$
declare
  parent text;
  offset_days integer;
begin
  foreach parent in array array['events', 'deliveries', 'attempts', 'call_timeline', 'inbound_elements'] loop
    for offset_days in -1 .. days_ahead loop
      perform ensure_day_partition(parent, (now() at time zone 'UTC')::date + offset_days);
    end loop;
  end loop;
end
$$;

select ensure_partitions(14);
