-- what each request with an Idempotency-Key has made, and when a message last changed; not breaking
create table request_keys (
  workspace_id uuid not null references workspaces,
  kind text not null check (kind in ('call', 'campaign')),
  key text not null,
  hash bytea not null,
  resource_id uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, kind, key)
);
create index request_keys_age on request_keys (created_at);

-- A default that is the same for all rows is not written into them. A trigger, so that the release before keeps it too.
alter table messages add column updated_at timestamptz(3) not null default now();

-- clock_timestamp, not now: the time between it and the commit is then that of a transaction with an id, which
-- list-order.ts sees.
create function touch_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end
$$;

-- Only what the record shows: the steps of a send do not count.
create trigger messages_changed before update on messages for each row
when ((old.status, old.provider_message_id, old.error, old.sent_at, old.delivered_at, old.read_at, old.failed_at)
  is distinct from
  (new.status, new.provider_message_id, new.error, new.sent_at, new.delivered_at, new.read_at, new.failed_at))
execute function touch_updated_at();
