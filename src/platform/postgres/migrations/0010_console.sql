-- sessions that can be told apart and prove themselves again, recovery codes, indexes of the console; not breaking
alter table sessions
  add column id uuid not null default new_uuid(),
  add column proved_at timestamptz(3) not null default now();
update sessions set proved_at = created_at;
create unique index sessions_id on sessions (id);

-- Each row is one code that is still good: using it deletes it, so of two sign-ins with it one finds it.
create table recovery_codes (
  operator_id uuid not null references operators on delete cascade,
  code_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (operator_id, code_hash)
);

-- What was done to one thing: whether a change that can be repeated is in the audit already.
create index audit_subject on audit (subject_id, action);

-- The attempts of one endpoint by time, for its health.
create index attempts_endpoint on attempts (endpoint_id, id);

-- How many campaigns of a workspace run.
create index campaigns_running on campaigns (workspace_id) where status = 'RUNNING' and deleted_at is null;
