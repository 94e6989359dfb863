-- the provider's time of names and of template states, and the addresses that may use an API key; not breaking
alter table contacts add column name_at timestamptz(3);
alter table templates
  add column status_at timestamptz(3),
  add column category_at timestamptz(3);

-- Ranges in CIDR notation; empty: every address.
alter table api_keys add column allowed_ips text[] not null default '{}';
