-- 4 entries into indexes fewer for a text; not breaking; builds indexes on large tables while they are written; until it is replaced, the release before lists messages of one direction or status slowly
-- Whoever asks for a direction or a status asks for the few pairs of both that exist.
create index concurrently if not exists messages_state on messages (workspace_id, direction, status, id desc);
drop index concurrently if exists messages_direction;
drop index concurrently if exists messages_status;
-- Begins with the contact: it finds the conversations of one, and is unique for the same pairs.
create unique index concurrently if not exists conversations_contact_number on conversations (contact_id, number_id);
drop index concurrently if exists conversations_contact;
alter table conversations drop constraint if exists conversations_number_id_contact_id_key;
-- Nothing looks for one of them by its id alone.
alter table attempts drop constraint if exists attempts_pkey;
alter table inbound_elements drop constraint if exists inbound_elements_pkey;
