-- invitations, audit filters by index, one audit entry an upload, samples of running campaigns; not breaking
-- Each row is an invitation that is still open: accepting or revoking it deletes it, so of two who accept it one finds
-- it. What became of it is in the audit.
create table invitations (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  email text not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'AGENT', 'VIEWER')),
  token_hash bytea not null unique,
  invited_by uuid not null references operators on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create unique index invitations_address on invitations (workspace_id, lower(email));

-- The audit by who, by what was done, and by what it was done to.
create index audit_operator on audit (workspace_id, operator_id, id desc);
create index audit_action on audit (workspace_id, action, id desc);
create index audit_kind on audit (workspace_id, split_part(action, '.', 1), id desc);

-- What several requests do that are parts of one act, such as the slices of an upload, is one entry.
alter table audit add column part_of text;
create unique index audit_part_of on audit (subject_id, operator_id, action, part_of) where part_of is not null;

-- How far a campaign was at which time. A worker writes it beside the sending, ever more rarely as a campaign goes on:
-- some 700 rows for a day.
create table campaign_samples (
  campaign_id uuid not null references campaigns,
  at timestamptz(3) not null,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null,
  primary key (campaign_id, at)
);
create index campaigns_stopped on campaigns (coalesce(completed_at, cancelled_at, paused_at)) where deleted_at is null;
