-- Marks the state of the database, so that all processes learn that it was restored to an older one.
create table database_era (
  is_only boolean primary key default true check (is_only),
  id uuid not null,
  restored_at timestamptz(3)
);
insert into database_era (id) values (gen_random_uuid());
