-- replays without an event are given up, and indexes for keys of erased calls and failed exports; not breaking
-- Replays whose event was deleted were never sent, and of an endpoint nothing newer was replayed behind them.
update deliveries d
set state = 'DISCARDED', next_attempt_at = null, finished_at = now()
where state = 'PENDING' and replay and not exists (select from events v where v.id = d.event_id);
create index request_keys_resource on request_keys (resource_id);
create index contact_jobs_failed on contact_jobs (completed_at) where status = 'FAILED' and address is not null;
