-- the delivery log in rising order: 9 entries into indexes for a delivery and its attempt where there were 12; the release before lists deliveries slowly
-- Takes over the indexes that the migration before has built; the other days are empty. No index has the deliveries of
-- all states: what is delivered is in that of states. Of an endpoint, each delivery is in one of two indexes: an attempt
-- in the row of its delivery is found as one in a row of its own is.
drop index deliveries_log, deliveries_log_endpoint, deliveries_log_state, deliveries_log_kind, deliveries_log_key,
  deliveries_pending;
create index deliveries_log_first on deliveries (workspace_id, endpoint_id, id) where first_attempt_at is not null;
create index deliveries_log_others on deliveries (workspace_id, endpoint_id, id)
where first_attempt_at is null and state <> 'PENDING';
create index deliveries_log_state on deliveries (workspace_id, state, id) where state <> 'PENDING';
create index deliveries_log_undelivered on deliveries (workspace_id, id) where state not in ('PENDING', 'DELIVERED');
create index deliveries_log_kind on deliveries (workspace_id, kind, id) where state <> 'PENDING';
create index deliveries_log_key on deliveries (workspace_id, key, id) where state <> 'PENDING';
create index deliveries_pending on deliveries (workspace_id, id) where state = 'PENDING';
