-- replies of any kind, files that are uploaded for them, and calls that open the 24 hours; not breaking
-- The time, by the provider's clock, of the last call of the customer, or that the customer accepted.
alter table conversations add column last_call_at timestamptz(3);

-- What is sent, for as long as it may still have to be sent. Null for templates.
alter table messages add column content jsonb;

-- Files for messages to come. The provider's id belongs to one number and ends with the row.
create table uploads (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  number_id uuid not null references numbers,
  provider_media_id text not null,
  mime_type text not null,
  file_name text not null,
  size_bytes bigint not null,
  sha256 text not null,
  blob_key text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index uploads_expired on uploads (expires_at);

-- The file belongs to the upload: several messages may have it.
alter table media add column upload_id uuid;
alter table media add constraint media_upload foreign key (upload_id) references uploads not valid;
