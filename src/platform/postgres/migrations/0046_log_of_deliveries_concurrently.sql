-- the delivery log without what is pending; not breaking; builds indexes on large tables while they are written
-- For each day that has deliveries; the next migration makes those of the other days, and of all days to come.
select format('create index concurrently if not exists %I on %I %s', child.relname || made.suffix, child.relname, made.definition)
from pg_inherits i
join pg_class child on child.oid = i.inhrelid
cross join (values
  ('_log', '(workspace_id, id desc) where state <> ''PENDING'''),
  ('_log_endpoint', '(workspace_id, endpoint_id, id desc) where state <> ''PENDING'''),
  ('_log_state', '(workspace_id, state, id desc) where state <> ''PENDING'''),
  ('_log_kind', '(workspace_id, kind, id desc) where state <> ''PENDING'''),
  ('_log_key', '(workspace_id, key, id desc) where state <> ''PENDING'''),
  ('_pending', '(workspace_id, id desc) where state = ''PENDING''')
) made (suffix, definition)
where i.inhparent = 'deliveries'::regclass and pg_relation_size(child.oid) > 0
order by child.relname, made.suffix;
