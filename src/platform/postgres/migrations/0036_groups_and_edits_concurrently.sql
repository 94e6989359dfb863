-- conversations of groups, and which messages were edited or taken back; not breaking; builds indexes while the tables are written
-- A conversation is with a contact, or in a group of the provider's. The release before shows those with a contact.
alter table conversations add column if not exists group_id text, alter column contact_id drop not null;
create unique index concurrently if not exists conversations_group on conversations (number_id, group_id)
where group_id is not null;
-- Those that change a message: few, and found by the provider's id of the message that they change.
create index concurrently if not exists messages_revisions
on messages ((coalesce(details -> 'edit', details -> 'revoke') ->> 'providerMessageId'))
where type in ('EDIT', 'REVOKE');
-- An id as the API shows it: the prefix, and 130 bits as base32. See src/shared/ids.ts.
create or replace function shown_id(prefix text, id uuid) returns text language sql immutable parallel safe as $$
  select prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits from at for 5)::integer + 1, 1), '' order by at)
  from (select B'00' || ('x' || replace(id::text, '-', ''))::bit(128) as bits) uuid
  cross join generate_series(1, 126, 5) at
$$;
