-- the API key of an audit entry, for files that a key downloads; not breaking
-- No reference: keys are never deleted, and entries of the audit are never changed.
alter table audit add column key_id uuid;
