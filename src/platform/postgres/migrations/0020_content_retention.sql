-- how long texts and files are kept, for each workspace; deleted campaigns are emptied; not breaking
-- Days; null: as long as the workspace exists. Messages and deliveries up to these ids have been handled.
alter table workspaces
  add column content_days integer check (content_days between 1 and 3650),
  add column content_removed_to uuid,
  add column bodies_removed_to uuid;

-- A deleted campaign whose recipients are gone. The row stays, because messages name it.
alter table campaigns add column purged_at timestamptz(3);
create index campaigns_unpurged on campaigns (deleted_at) where deleted_at is not null and purged_at is null;
