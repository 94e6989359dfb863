-- what each request with an Idempotency-Key has made; not breaking
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
