-- when the provider took a message; not breaking
alter table messages add column handed_at timestamptz(3);
