-- calls no longer check what they refer to; not breaking; each statement needs a short lock
-- As messages: nothing of what a call refers to is ever deleted, and the statement that begins one has locked its contact.
-- One by one, so that no statement holds one table while it waits for another.
alter table calls drop constraint if exists calls_workspace_id_fkey;
alter table calls drop constraint if exists calls_conversation_id_fkey;
alter table calls drop constraint if exists calls_number_id_fkey;
alter table calls drop constraint if exists calls_contact_id_fkey;
alter table calls drop constraint if exists calls_api_key_id_fkey;
