-- the last event of each conversation, so that each event knows the one before it; not breaking
alter table conversations add column last_event_id uuid;
