-- counts of recipients, kept by the database; not breaking (campaigns.counts stays, and is read no more)
-- How many recipients of a campaign are in each status, without counting rows. Every statement that writes recipients
-- adds its differences here, in the same transaction and whoever wrote it, so the sums are exact at every instant.
-- A connection adds to rows of its own (shard), so writers rarely wait for each other; a single row may be below zero.
-- Whoever locks more than this locks in this order: campaign, recipients by wa_id or id, counts.
create table campaign_counts (
  campaign_id uuid not null references campaigns,
  name text not null,
  shard integer not null,
  amount bigint not null,
  primary key (campaign_id, name, shard)
) with (fillfactor = 50);

-- The trigger's argument gives (campaign_id, status, replied_at, change) of what the statement wrote.
create function count_recipients() returns trigger language plpgsql as $$
begin
  execute format($count$
    insert into campaign_counts as kept (campaign_id, name, shard, amount)
    select campaign_id, name, pg_backend_pid() %% 16, sum(change)
    from (%s) written,
      lateral (values (lower(status)), (case when replied_at is not null then 'replied' end)) counted (name)
    where name is not null
    group by campaign_id, name
    having sum(change) <> 0
    order by campaign_id, name
    on conflict (campaign_id, name, shard) do update set amount = kept.amount + excluded.amount
  $count$, tg_argv[0]);
  return null;
end
$$;

create trigger recipients_added after insert on recipients
  referencing new table as added
  for each statement execute function count_recipients(
    'select campaign_id, status, replied_at, 1 as change from added');

create trigger recipients_removed after delete on recipients
  referencing old table as removed
  for each statement execute function count_recipients(
    'select campaign_id, status, replied_at, -1 as change from removed');

create trigger recipients_changed after update on recipients
  referencing old table as former new table as latter
  for each statement execute function count_recipients(
    'select campaign_id, status, replied_at, -1 as change from former
     union all
     select campaign_id, status, replied_at, 1 from latter');

-- A campaign's recipients in the order in which they were added.
create index recipients_campaign on recipients (campaign_id, id);

-- What was there before; the triggers above keep others from writing until this is committed.
insert into campaign_counts (campaign_id, name, shard, amount)
select campaign_id, name, 0, count(*)
from recipients,
  lateral (values (lower(status)), (case when replied_at is not null then 'replied' end)) counted (name)
where name is not null
group by campaign_id, name;
