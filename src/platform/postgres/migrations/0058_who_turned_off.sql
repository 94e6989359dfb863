-- who turned an endpoint off; not breaking
-- Unknown for those that are off already: the audit log tells.
alter table endpoints add column disabled_by uuid references operators on delete set null;
