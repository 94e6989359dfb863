-- 12 entries into indexes for a call that rings and ends where there were 20; not breaking; builds indexes on a large table while it is written; until it is replaced, the release before lists calls slowly
-- Nearly every call is over when somebody lists it: the indexes of the log do not hold what is live, which each change
-- would enter again. The calls of a conversation are found by its contact. All of them rise, as those of messages do.
create index concurrently if not exists calls_log on calls (workspace_id, id)
where status not in ('INITIATED', 'RINGING', 'ACCEPTED');
create index concurrently if not exists calls_log_state on calls (workspace_id, direction, status, id)
where status not in ('INITIATED', 'RINGING', 'ACCEPTED');
create index concurrently if not exists calls_log_number on calls (workspace_id, number_id, id)
where status not in ('INITIATED', 'RINGING', 'ACCEPTED');
create index concurrently if not exists calls_log_changes on calls (workspace_id, updated_at, id)
where status not in ('INITIATED', 'RINGING', 'ACCEPTED');
create index concurrently if not exists calls_contact_rising on calls (workspace_id, contact_id, id);
drop index concurrently if exists calls_contact;
alter index if exists calls_contact_rising rename to calls_contact;
create index concurrently if not exists calls_live_rising on calls (workspace_id, id)
where status in ('INITIATED', 'RINGING', 'ACCEPTED');
drop index concurrently if exists calls_live;
alter index if exists calls_live_rising rename to calls_live;
drop index concurrently if exists calls_workspace;
drop index concurrently if exists calls_status;
drop index concurrently if exists calls_direction;
drop index concurrently if exists calls_conversation;
drop index concurrently if exists calls_number;
drop index concurrently if exists calls_changes;
