-- when what came for a number before it was known here is to be applied; not breaking
alter table numbers add column elements_due_at timestamptz(3);
