-- people without a phone number: user ids, further addresses of a contact, merged contacts; not breaking
-- wa_id is the address under which a contact is written to: the digits of the number, or the user id where no number
-- is known. Every other number or id that is known to be of the same person is a row of contact_aliases. No foreign
-- keys, because adding one reads the whole table under a lock.
alter table contacts
  add column user_id text,
  add column parent_user_id text,
  add column username text,
  -- The provider's time of the element that showed the number in wa_id: a number may be given to somebody else.
  add column address_at timestamptz(3),
  -- The contact that took over the messages and calls. erased_at is set too: nothing new is written here.
  add column merged_into uuid,
  -- What is still written about a merged contact is moved until this time.
  add column merging_until timestamptz(3),
  add column marketing_opt_out_at timestamptz(3),
  -- When the person last said so, by the provider's clock: of choices that come out of order, the latest counts.
  add column marketing_changed_at timestamptz(3);
alter table conversations add column merged_into uuid;

create table contact_aliases (
  workspace_id uuid not null references workspaces,
  address text not null,
  contact_id uuid not null references contacts,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, address)
);
create index contact_aliases_contact on contact_aliases (contact_id);
