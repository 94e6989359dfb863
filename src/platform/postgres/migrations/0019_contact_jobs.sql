-- erasures and exports of contacts as jobs, opt-outs that outlive an erasure; not breaking
-- One row for each erasure or export that was asked for. A worker takes it for a while (due_at) under a new claim, and
-- every batch of its work checks the claim in the same transaction. The address names the person while it is needed; it
-- is null once an erasure is complete or an export has expired.
create table contact_jobs (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  kind text not null check (kind in ('ERASURE', 'EXPORT')),
  status text not null default 'PENDING' check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'EXPIRED')),
  address text,
  api_key_id uuid references api_keys,
  operator_id uuid references operators on delete set null,
  step text,
  cursor uuid,
  total integer,
  counts jsonb not null default '{}',
  error text,
  failures integer not null default 0,
  claim bigint not null default 0,
  due_at timestamptz(3) not null default now(),
  blob_key text,
  size_bytes bigint,
  sha256 text,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  expires_at timestamptz(3)
);
-- Asked twice, it is one job.
create unique index contact_jobs_open on contact_jobs (workspace_id, kind, address) where status in ('PENDING', 'RUNNING');
create index contact_jobs_due on contact_jobs (due_at) where status in ('PENDING', 'RUNNING');
create index contact_jobs_expiring on contact_jobs (expires_at) where status = 'COMPLETED';
create index contact_jobs_workspace on contact_jobs (workspace_id, kind, id desc);

-- What stays of a contact after an erasure: empty rows, so that no table refers to nothing.
alter table contacts add column erased_at timestamptz(3);
alter table conversations add column erased_at timestamptz(3);

-- Opt-outs of erased contacts: an HMAC of workspace and number. Its key is sealed, so the table alone names nobody.
create table kept_opt_outs (
  workspace_id uuid not null references workspaces,
  fingerprint bytea not null,
  opted_out_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, fingerprint)
);
create table opt_out_key (
  -- One row only. The type is that of all tables with secrets.
  id uuid primary key check (id = '00000000-0000-0000-0000-000000000001'),
  sealed bytea not null
);

-- Files to delete, written in the transaction that deletes their rows. again_at: a download of the file may still have
-- been under way, so it is deleted once more then.
create table blob_deletions (
  key text primary key,
  job_id uuid,
  due_at timestamptz(3) not null default now(),
  again_at timestamptz(3)
);
create index blob_deletions_due on blob_deletions (due_at);
create index blob_deletions_job on blob_deletions (job_id) where again_at is null;
