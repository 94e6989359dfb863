-- the time that the provider gave with an element, for elements that are applied again; not breaking
alter table inbound_elements add column entry_at timestamptz(3);
