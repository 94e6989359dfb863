-- whose start of a send it is that is under way; not breaking
-- So that a process whose reply was lost knows its own start again, and nobody else's.
alter table messages add column started_by integer;
