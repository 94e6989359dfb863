-- the delivery log in rising order, and by endpoint with and without the first attempt; not breaking; builds indexes on large tables while they are written
-- An index that begins with the newest grows at the front: its pages are split in the middle and stay half empty. For
-- each day that has deliveries; the next migration makes those of the other days, and of all days to come.
select format('create index concurrently if not exists %I on %I %s', child.relname || made.suffix, child.relname, made.definition)
from pg_inherits i
join pg_class child on child.oid = i.inhrelid
cross join (values
  ('_rising_first', '(workspace_id, endpoint_id, id) where first_attempt_at is not null'),
  ('_rising_others', '(workspace_id, endpoint_id, id) where first_attempt_at is null and state <> ''PENDING'''),
  ('_rising_state', '(workspace_id, state, id) where state <> ''PENDING'''),
  ('_rising_undelivered', '(workspace_id, id) where state not in (''PENDING'', ''DELIVERED'')'),
  ('_rising_kind', '(workspace_id, kind, id) where state <> ''PENDING'''),
  ('_rising_key', '(workspace_id, key, id) where state <> ''PENDING'''),
  ('_rising_pending', '(workspace_id, id) where state = ''PENDING''')
) made (suffix, definition)
where i.inhparent = 'deliveries'::regclass and pg_relation_size(child.oid) > 0
order by child.relname, made.suffix;
