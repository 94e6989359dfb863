-- the last event of each call, so that each event knows the one before it when its owner is gone; not breaking
alter table calls add column last_event_id uuid;
