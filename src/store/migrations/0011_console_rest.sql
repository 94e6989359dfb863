-- invitations, audit filters by index, one audit entry an upload; not breaking
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
