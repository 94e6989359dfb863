-- the config_version with which an endpoint was last turned on; not breaking
-- So that an owner that reads two changes at once knows whether it was off between them, and what waits is held.
alter table endpoints add column turned_on_version bigint not null default 0;
