-- what the sending of campaigns needs; not breaking (claimed_by and claimed_epoch were never written)
-- From a claim on, a recipient follows its message: see recipients-follow.ts. A recipient waits (PENDING) until due_at;
-- claimed_until is set while a request to the provider may be under way.
alter table recipients
  add column due_at timestamptz(3) not null default '-infinity',
  add column attempts integer not null default 0,
  drop column claimed_by,
  drop column claimed_epoch;
drop index recipients_claims;
create index recipients_waiting on recipients (campaign_id, due_at, id) where status = 'PENDING';
create index recipients_in_flight on recipients (campaign_id) where claimed_until is not null;

create index campaigns_number on campaigns (number_id) where status = 'RUNNING';
create index campaigns_ended on campaigns (updated_at) where status in ('CANCELLED', 'COMPLETED');
-- Messages that wait for another try of their campaign; those of POST /messages/chat have a time of their own.
create index messages_campaign_waiting on messages (campaign_id) where send_state = 'PENDING' and send_due_at is null;

-- Whom the latest campaign message of a conversation went to, for attributing replies.
alter table conversations
  add column campaign_recipient_id uuid,
  add column campaign_sent_at timestamptz(3);

-- The counts as before (0002), without building their statement anew each time, and at no cost where nothing changed.
drop trigger recipients_added on recipients;
drop trigger recipients_removed on recipients;
drop trigger recipients_changed on recipients;
drop function count_recipients();

create function add_to_counts(campaigns uuid[], names text[], changes bigint[]) returns void language sql as $$
  insert into campaign_counts as kept (campaign_id, name, shard, amount)
  select campaign_id, name, pg_backend_pid() % 16, sum(change)
  from unnest(campaigns, names, changes) as written (campaign_id, name, change)
  group by campaign_id, name
  having sum(change) <> 0
  order by campaign_id, name
  on conflict (campaign_id, name, shard) do update set amount = kept.amount + excluded.amount
$$;

create function count_added() returns trigger language plpgsql as $$
begin
  if not exists (select from added) then return null; end if;
  perform add_to_counts(array_agg(campaign_id), array_agg(name), array_agg(amount))
  from (
    select campaign_id, lower(status) as name, count(*) as amount from added group by campaign_id, status
    union all
    select campaign_id, 'replied', count(*) from added where replied_at is not null group by campaign_id
  ) counted;
  return null;
end
$$;

create function count_removed() returns trigger language plpgsql as $$
begin
  if not exists (select from removed) then return null; end if;
  perform add_to_counts(array_agg(campaign_id), array_agg(name), array_agg(-amount))
  from (
    select campaign_id, lower(status) as name, count(*) as amount from removed group by campaign_id, status
    union all
    select campaign_id, 'replied', count(*) from removed where replied_at is not null group by campaign_id
  ) counted;
  return null;
end
$$;

create function count_changed() returns trigger language plpgsql as $$
begin
  if not exists (select from latter) then return null; end if;
  perform add_to_counts(array_agg(campaign_id), array_agg(name), array_agg(amount))
  from (
    select campaign_id, lower(status) as name, count(*) as amount from latter group by campaign_id, status
    union all
    select campaign_id, 'replied', count(*) from latter where replied_at is not null group by campaign_id
    union all
    select campaign_id, lower(status), -count(*) from former group by campaign_id, status
    union all
    select campaign_id, 'replied', -count(*) from former where replied_at is not null group by campaign_id
  ) counted;
  return null;
end
$$;

create trigger recipients_added after insert on recipients
  referencing new table as added for each statement execute function count_added();
create trigger recipients_removed after delete on recipients
  referencing old table as removed for each statement execute function count_removed();
create trigger recipients_changed after update on recipients
  referencing old table as former new table as latter for each statement execute function count_changed();
