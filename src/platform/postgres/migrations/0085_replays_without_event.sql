-- replays whose event was deleted are given up; not breaking
-- They were never sent, and of an endpoint nothing newer was replayed behind them.
update deliveries d
set state = 'DISCARDED', next_attempt_at = null, finished_at = now()
where state = 'PENDING' and replay and not exists (select from events v where v.id = d.event_id);
