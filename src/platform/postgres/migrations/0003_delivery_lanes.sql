-- an index that finds first attempts behind any number of replays; not breaking (writers of deliveries wait while it is built)
drop index deliveries_open;
create index deliveries_open on deliveries (endpoint_id, state, replay, id) where state in ('PENDING', 'RETRYING', 'HELD');
