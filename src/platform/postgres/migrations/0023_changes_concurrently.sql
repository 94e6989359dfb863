-- the lists in the order of changes; not breaking; builds indexes on large tables while they are written
drop index concurrently if exists messages_changes;
create index concurrently messages_changes on messages (workspace_id, updated_at, id);
drop index concurrently if exists calls_changes;
create index concurrently calls_changes on calls (workspace_id, updated_at, id);
drop index concurrently if exists campaigns_changes;
create index concurrently campaigns_changes on campaigns (workspace_id, updated_at, id) where deleted_at is null;
