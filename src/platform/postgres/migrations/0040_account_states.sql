-- what the provider reports about accounts, numbers and templates; not breaking
-- Every report once: the provider repeats them. The digest covers account, field, time and content.
create table account_reports (
  workspace_id uuid not null references workspaces,
  digest bytea not null,
  at timestamptz(3) not null,
  changes jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, digest)
);
create index account_reports_age on account_reports (created_at);

-- The latest state of each matter, by the provider's time. stops: what cannot be done while it is in force.
create table account_states (
  workspace_id uuid not null references workspaces,
  topic text not null,
  key text not null,
  status text not null,
  severity text not null check (severity in ('INFO', 'WARNING', 'CRITICAL')),
  number text,
  template jsonb,
  message text not null,
  advice text,
  at timestamptz(3) not null,
  until timestamptz(3),
  stops text[] not null default '{}',
  details jsonb not null default '{}',
  updated_at timestamptz(3) not null default now(),
  primary key (workspace_id, topic, key)
);
