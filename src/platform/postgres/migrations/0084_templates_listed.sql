-- when the last list of a workspace's templates was asked for; not breaking
-- So that of two lists the older is not written last, and a webhook from before a list does not undo it.
alter table workspaces add column templates_listed_at timestamptz;
