-- the person of a recipient, and marketing opt-outs that outlive an erasure; not breaking
-- Set when the recipient is claimed: of several recipients of a campaign who are one person, only one is sent to. No
-- foreign key, because adding one reads the whole table under a lock.
alter table recipients add column contact_id uuid;

-- As kept_opt_outs, of people who want no marketing messages.
create table kept_marketing_opt_outs (
  workspace_id uuid not null references workspaces,
  fingerprint bytea not null,
  opted_out_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, fingerprint)
);
