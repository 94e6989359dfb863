-- The tables of a usual messaging service, filled with what the gateway's tables hold, so that lists read the same
-- rows. There is one tenant: workspaces become one.
drop schema if exists peer cascade;
create schema peer;
set search_path to peer;

create table endpoints (
  id bigint primary key generated always as identity,
  url text not null,
  secret text not null
);
create table numbers (
  id bigint primary key generated always as identity,
  phone_number_id text not null unique,
  number text not null,
  is_default boolean not null,
  forward_calls boolean not null,
  endpoint_id bigint references endpoints
);
create table templates (
  id bigint primary key generated always as identity,
  name text not null,
  language text not null,
  is_named boolean not null,
  components jsonb not null,
  unique (name, language)
);
create table api_keys (
  prefix text primary key,
  secret_hash bytea not null
);
create table contacts (
  id bigint primary key generated always as identity,
  wa_id text not null unique,
  name text
);
create table conversations (
  id bigint primary key generated always as identity,
  number_id bigint not null references numbers,
  contact_id bigint not null references contacts,
  last_message_id bigint,
  unread_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (number_id, contact_id)
);
create index on conversations (updated_at desc, id desc);
create table messages (
  id bigint primary key generated always as identity,
  conversation_id bigint not null references conversations,
  provider_message_id text unique,
  direction text not null,
  type text not null,
  status text not null,
  text text not null,
  template jsonb,
  error jsonb,
  idempotency_key text unique,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz
);
create index on messages (conversation_id, id desc);
create table calls (
  id bigint primary key generated always as identity,
  conversation_id bigint not null references conversations,
  wacid text not null unique,
  direction text not null,
  status text not null,
  ringing_at timestamptz not null default now(),
  accepted_at timestamptz,
  ended_at timestamptz
);
create index on calls (conversation_id, id desc);
create table events (
  id bigint primary key generated always as identity,
  kind text not null,
  body text not null,
  created_at timestamptz not null default now()
);
create table deliveries (
  id bigint primary key generated always as identity,
  event_id bigint not null references events,
  endpoint_id bigint not null references endpoints,
  state text not null default 'PENDING',
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  delivered_at timestamptz
);
create index on deliveries (event_id);
create index on deliveries (created_at) where state = 'PENDING';
create table attempts (
  id bigint primary key generated always as identity,
  delivery_id bigint not null references deliveries,
  status integer,
  error text,
  started_at timestamptz not null,
  duration_ms real not null
);
create index on attempts (delivery_id);

insert into numbers (phone_number_id, number, is_default, forward_calls)
  select phone_number_id, number, is_default, forward_calls from public.numbers order by id;
insert into templates (name, language, is_named, components)
  select distinct on (name, language) name, language, parameter_format = 'NAMED', components
  from public.templates where status = 'APPROVED' order by name, language, id;
insert into api_keys select prefix, secret_hash from public.api_keys where revoked_at is null;
insert into contacts (wa_id, name)
  select distinct on (wa_id) wa_id, name from public.contacts where wa_id is not null order by wa_id, id;
insert into conversations (number_id, contact_id, unread_count, created_at, updated_at)
  select n.id, c.id, v.unread_count, v.created_at, v.updated_at
  from public.conversations v
  join public.contacts pc on pc.id = v.contact_id
  join contacts c on c.wa_id = pc.wa_id
  join public.numbers pn on pn.id = v.number_id
  join numbers n on n.phone_number_id = pn.phone_number_id
  order by v.updated_at, v.id;
insert into messages (conversation_id, provider_message_id, direction, type, status, text, template, error,
  idempotency_key, created_at, sent_at, delivered_at, read_at, failed_at)
  select v.id, m.provider_message_id, m.direction, m.type, m.status, m.text, m.template, m.error,
    m.idempotency_key, m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at
  from public.messages m
  join public.contacts pc on pc.id = m.contact_id
  join contacts c on c.wa_id = pc.wa_id
  join public.numbers pn on pn.id = m.number_id
  join numbers n on n.phone_number_id = pn.phone_number_id
  join conversations v on v.number_id = n.id and v.contact_id = c.id
  order by m.id;
update conversations v set last_message_id = l.id
  from (select conversation_id, max(id) as id from messages group by conversation_id) l
  where l.conversation_id = v.id;
analyze;
