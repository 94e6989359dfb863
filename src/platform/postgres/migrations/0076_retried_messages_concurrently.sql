-- an index of the messages that wait for another try of their campaign, without those that were given up; not breaking; builds a small index on a large table while it is written
-- The one before kept every message that was ever given up, and the sweep read them all.
create index concurrently if not exists messages_campaign_retried on messages (campaign_id)
where send_state = 'PENDING' and send_due_at is null and status = 'QUEUED' and campaign_id is not null;
drop index concurrently if exists messages_campaign_waiting;
