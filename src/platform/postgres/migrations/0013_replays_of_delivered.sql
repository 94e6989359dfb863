-- remembers that a delivery under replay was delivered before, so that a failed replay leaves it so; not breaking
alter table deliveries add column was_delivered boolean not null default false;
