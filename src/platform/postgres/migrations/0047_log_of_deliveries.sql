-- the delivery log without what is pending: 10 entries into indexes for a delivery where there were 14; the release before lists deliveries slowly
-- Takes over the indexes that the migration before has built; the other days are empty.
create index deliveries_log on deliveries (workspace_id, id desc) where state <> 'PENDING';
create index deliveries_log_endpoint on deliveries (workspace_id, endpoint_id, id desc) where state <> 'PENDING';
create index deliveries_log_state on deliveries (workspace_id, state, id desc) where state <> 'PENDING';
create index deliveries_log_kind on deliveries (workspace_id, kind, id desc) where state <> 'PENDING';
create index deliveries_log_key on deliveries (workspace_id, key, id desc) where state <> 'PENDING';
create index deliveries_pending on deliveries (workspace_id, id desc) where state = 'PENDING';
drop index deliveries_workspace, deliveries_endpoint, deliveries_state, deliveries_kind, deliveries_key;
