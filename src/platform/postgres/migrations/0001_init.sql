-- every aggregate of the first release; not breaking
-- Ids are UUIDv7 made by the application. Tables that grow with every event are partitioned by day over the id
-- itself (a UUIDv7 begins with its time), so the id alone stays the primary key and finds its partition.

create sequence actor_epoch;

create table workspaces (
  id uuid primary key,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  waba_id text,
  provider_token bytea,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table operators (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  totp_seed bytea,
  platform_owner boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index operators_email on operators (lower(email));

create table memberships (
  workspace_id uuid not null references workspaces,
  operator_id uuid not null references operators on delete cascade,
  role text not null check (role in ('OWNER', 'ADMIN', 'AGENT', 'VIEWER')),
  created_at timestamptz(3) not null default now(),
  primary key (operator_id, workspace_id)
);
create index memberships_workspace on memberships (workspace_id);

create table sessions (
  token_hash bytea primary key,
  operator_id uuid not null references operators on delete cascade,
  ip text,
  user_agent text,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index sessions_operator on sessions (operator_id);

create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  prefix text not null unique,
  secret_hash bytea not null,
  scopes text[] not null,
  requests_per_second integer not null default 100 check (requests_per_second >= 0),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_by uuid references operators on delete set null,
  created_at timestamptz(3) not null default now()
);
create index api_keys_workspace on api_keys (workspace_id, id desc);

create table endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  url text not null,
  events text[] not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  enabled boolean not null default true,
  disabled_at timestamptz(3),
  disabled_reason text,
  switched_off_by xid8,
  consecutive_failures integer not null default 0,
  config_version bigint not null default 1,
  owner_epoch bigint not null default 0,
  owner_sid text,
  act_after timestamptz(3) not null default 'epoch',
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index endpoints_workspace on endpoints (workspace_id, id desc) where deleted_at is null;

create table numbers (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  phone_number_id text not null unique,
  number text not null unique,
  display_name text not null default '',
  status text not null default 'CONNECTED',
  quality_rating text not null default 'UNKNOWN',
  messages_per_second integer not null default 80 check (messages_per_second > 0),
  is_default boolean not null default false,
  endpoint_id uuid references endpoints,
  forward_calls boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (not forward_calls or endpoint_id is not null)
);
create index numbers_workspace on numbers (workspace_id, id desc);
create unique index numbers_default on numbers (workspace_id) where is_default;
create index numbers_endpoint on numbers (endpoint_id) where endpoint_id is not null;

create table templates (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  provider_template_id text,
  name text not null,
  language text not null,
  category text not null,
  status text not null,
  status_reason text,
  parameter_format text not null default 'POSITIONAL' check (parameter_format in ('NAMED', 'POSITIONAL')),
  components jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, name, language)
);
create index templates_workspace on templates (workspace_id, id desc);

create table contacts (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  wa_id text not null,
  name text,
  opt_state text check (opt_state in ('opted-in', 'opted-out')),
  opt_changed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, wa_id)
);

create table conversations (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  number_id uuid not null references numbers,
  contact_id uuid not null references contacts,
  last_message_id uuid,
  last_message_at timestamptz(3),
  unread_count integer not null default 0,
  last_inbound_at timestamptz(3),
  call_permission jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (number_id, contact_id)
);
create index conversations_activity on conversations (workspace_id, updated_at desc, id desc);
create index conversations_unread on conversations (workspace_id, updated_at desc, id desc) where unread_count > 0;
create index conversations_number on conversations (workspace_id, number_id, updated_at desc, id desc);
create index conversations_contact on conversations (workspace_id, contact_id, updated_at desc, id desc);

create table campaigns (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  status text not null default 'DRAFT'
    check (status in ('DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED')),
  number_id uuid references numbers,
  template_name text not null,
  template_language text not null,
  variables jsonb not null default '{}',
  start_at timestamptz(3),
  messages_per_second integer check (messages_per_second > 0),
  pause_reason text,
  epoch bigint not null default 0,
  counts jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  paused_at timestamptz(3),
  completed_at timestamptz(3),
  cancelled_at timestamptz(3),
  deleted_at timestamptz(3)
);
create index campaigns_workspace on campaigns (workspace_id, id desc) where deleted_at is null;
create index campaigns_live on campaigns (status, start_at) where status in ('SCHEDULED', 'RUNNING');

create table recipients (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  campaign_id uuid not null references campaigns,
  wa_id text not null,
  variables jsonb not null default '{}',
  status text not null default 'PENDING' check (status in
    ('PENDING', 'QUEUED', 'HELD', 'UNKNOWN', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'SKIPPED', 'CANCELLED')),
  message_id uuid,
  error jsonb,
  skipped_reason text,
  replied_at timestamptz(3),
  claimed_by text,
  claimed_epoch bigint,
  claimed_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (campaign_id, wa_id)
);
create index recipients_status on recipients (campaign_id, status, id);
create index recipients_claims on recipients (claimed_until) where status = 'QUEUED' and claimed_until is not null;

-- send_state is our side of the hand-over to the provider; null for inbound messages:
-- PENDING (nothing was asked of the provider yet) > SENDING (a request may be on the wire) >
-- ACCEPTED | HELD (the provider has it) | UNKNOWN (its answer was lost) | REFUSED
create table messages (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  conversation_id uuid not null references conversations,
  number_id uuid not null references numbers,
  contact_id uuid not null references contacts,
  provider_message_id text unique,
  direction text not null check (direction in ('INBOUND', 'OUTBOUND')),
  type text not null,
  status text not null check (status in ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED')),
  text text not null default '',
  template jsonb,
  from_name text,
  error jsonb,
  details jsonb,
  metadata jsonb not null default '{}',
  api_key_id uuid references api_keys,
  idempotency_key text,
  idempotency_hash bytea,
  campaign_id uuid references campaigns,
  recipient_id uuid,
  send_state text check (send_state in ('PENDING', 'SENDING', 'ACCEPTED', 'HELD', 'UNKNOWN', 'REFUSED')),
  send_attempts integer not null default 0,
  send_due_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  failed_at timestamptz(3)
);
create unique index messages_idempotency on messages (workspace_id, idempotency_key) where idempotency_key is not null;
create index messages_workspace on messages (workspace_id, id desc);
create index messages_conversation on messages (workspace_id, conversation_id, id desc);
create index messages_contact on messages (workspace_id, contact_id, id desc);
create index messages_number on messages (workspace_id, number_id, id desc);
create index messages_status on messages (workspace_id, status, id desc);
create index messages_direction on messages (workspace_id, direction, id desc);
create index messages_type on messages (workspace_id, type, id desc);
create index messages_campaign on messages (workspace_id, campaign_id, id desc) where campaign_id is not null;
create index messages_unread on messages (conversation_id, id desc) where status = 'RECEIVED';
create index messages_send_due on messages (send_due_at) where send_state in ('PENDING', 'SENDING', 'UNKNOWN');

create table media (
  message_id uuid primary key references messages,
  workspace_id uuid not null references workspaces,
  provider_media_id text not null,
  mime_type text not null,
  file_name text,
  size_bytes bigint,
  sha256 text,
  blob_key text,
  state text not null default 'PENDING' check (state in ('PENDING', 'STORED', 'LOST')),
  fetch_attempts integer not null default 0,
  fetch_due_at timestamptz(3) default now(),
  created_at timestamptz(3) not null default now()
);
create index media_due on media (fetch_due_at) where state = 'PENDING';

-- SDP is never here: it lives in memory and, for minutes, in Redis. answer_hash recognises the winner's own repeat.
create table calls (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  conversation_id uuid not null references conversations,
  number_id uuid not null references numbers,
  contact_id uuid not null references contacts,
  wacid text unique,
  direction text not null check (direction in ('INBOUND', 'OUTBOUND')),
  status text not null check (status in ('INITIATED', 'RINGING', 'ACCEPTED', 'COMPLETED', 'MISSED', 'DECLINED',
    'REJECTED', 'NO_ANSWER', 'CANCELLED', 'FAILED')),
  version bigint not null default 1,
  from_name text,
  forward_state text check (forward_state in ('ATTEMPTING', 'OK', 'FAILED')),
  forward_started_at timestamptz(3),
  last_forward_error jsonb,
  pending_action text check (pending_action in ('PLACE', 'ANSWER', 'PRE_ACCEPT', 'DECLINE', 'HANG_UP')),
  action_id uuid,
  action_at timestamptz(3),
  answer_hash bytea,
  end_reason text,
  error jsonb,
  api_key_id uuid references api_keys,
  ringing_at timestamptz(3),
  accepted_at timestamptz(3),
  ended_at timestamptz(3),
  duration_seconds integer,
  wake_at timestamptz(3),
  owner_epoch bigint not null default 0,
  owner_sid text,
  act_after timestamptz(3) not null default 'epoch',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index calls_workspace on calls (workspace_id, id desc);
create index calls_status on calls (workspace_id, status, id desc);
create index calls_direction on calls (workspace_id, direction, id desc);
create index calls_conversation on calls (workspace_id, conversation_id, id desc);
create index calls_contact on calls (workspace_id, contact_id, id desc);
create index calls_number on calls (workspace_id, number_id, id desc);
create index calls_live on calls (workspace_id, id desc) where status in ('INITIATED', 'RINGING', 'ACCEPTED');
create index calls_wake on calls (wake_at) where wake_at is not null;

-- A terminate that overtook its connect: the late connect makes a MISSED call and rings nobody.
create table call_tombstones (
  wacid text primary key,
  workspace_id uuid not null references workspaces,
  ended_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now()
);
create index call_tombstones_age on call_tombstones (created_at);

create table call_timeline (
  id uuid primary key,
  workspace_id uuid not null,
  call_id uuid not null,
  at timestamptz(3) not null,
  kind text not null,
  detail jsonb not null default '{}'
) partition by range (id);
create index call_timeline_call on call_timeline (call_id, id);

-- key is the conversation or call the event belongs to: first attempts of one key start in the order of the delivery
-- ids. body is the exact bytes that every attempt and every replay sends.
create table events (
  id uuid primary key,
  workspace_id uuid not null,
  kind text not null,
  key uuid not null,
  body bytea not null,
  created_at timestamptz(3) not null default now()
) partition by range (id);

create table deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  kind text not null,
  key uuid not null,
  state text not null check (state in ('PENDING', 'RETRYING', 'DELIVERED', 'FAILED', 'HELD', 'DISCARDED', 'BLOCKED')),
  attempt_count integer not null default 0,
  next_attempt_at timestamptz(3),
  replay boolean not null default false,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
) partition by range (id);
create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where state in ('PENDING', 'RETRYING');
create index deliveries_open on deliveries (endpoint_id, state, id) where state in ('PENDING', 'RETRYING', 'HELD');
create index deliveries_workspace on deliveries (workspace_id, id desc);
create index deliveries_endpoint on deliveries (workspace_id, endpoint_id, id desc);
create index deliveries_state on deliveries (workspace_id, state, id desc);

create table attempts (
  id uuid primary key,
  workspace_id uuid not null,
  delivery_id uuid not null,
  endpoint_id uuid not null,
  number integer not null,
  at timestamptz(3) not null,
  status_code integer,
  error text,
  duration_ms integer not null,
  timings jsonb not null default '{}',
  response_headers jsonb,
  response_body bytea
) partition by range (id);
create index attempts_delivery on attempts (delivery_id, number);

create table audit (
  id uuid primary key,
  workspace_id uuid references workspaces,
  operator_id uuid references operators on delete set null,
  action text not null,
  subject_kind text not null,
  subject_id uuid,
  before jsonb,
  after jsonb,
  ip text,
  at timestamptz(3) not null default now()
);
create index audit_workspace on audit (workspace_id, id desc);

-- Messages to an actor whose handling failed three times: parked for an operator, so the actor can go on.
create table actor_dead_letters (
  id uuid primary key,
  actor_kind text not null,
  actor_id uuid not null,
  message_type text not null,
  error text not null,
  at timestamptz(3) not null default now()
);

-- The smallest UUIDv7 of an instant.
create function uuid_floor(at timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- A UUIDv7 from this server's clock, with microseconds in the 12 bits after the milliseconds: ids made by
-- transactions that follow one another sort in that order, whichever process asked.
create function new_uuid() returns uuid language sql volatile as $$
  select encode(
    set_byte(
      overlay(
        overlay(uuid_send(gen_random_uuid()) placing substring(int8send(micros / 1000) from 3) from 1 for 6)
        placing int2send((28672 + (micros % 1000) * 4)::smallint) from 7 for 2),
      8, (get_byte(uuid_send(gen_random_uuid()), 8) & 63) | 128),
    'hex')::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros) clock
$$;

-- Makes the partition of one day where it is missing; two processes may call it at once.
create function ensure_day_partition(parent text, day date) returns void language plpgsql as $$
declare
  child text := parent || '_' || to_char(day, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('partition:' || child));
  if to_regclass(child) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L)', child, parent,
      uuid_floor(day::timestamp at time zone 'UTC'), uuid_floor((day + 1)::timestamp at time zone 'UTC'));
  end if;
end
$$;

create function ensure_partitions(days_ahead integer) returns void language plpgsql as $$
declare
  parent text;
  offset_days integer;
begin
  foreach parent in array array['events', 'deliveries', 'attempts', 'call_timeline'] loop
    for offset_days in -1 .. days_ahead loop
      perform ensure_day_partition(parent, (now() at time zone 'UTC')::date + offset_days);
    end loop;
  end loop;
end
$$;

select ensure_partitions(14);
