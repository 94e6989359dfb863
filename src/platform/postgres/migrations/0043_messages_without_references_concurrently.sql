-- messages no longer check what they refer to; not breaking; each statement needs a short lock
-- Nothing of what a message refers to is ever deleted, and every statement that writes one has locked or read it. The
-- checks took a lock on four rows for each message, and a sixth of the time of its statement. One by one, so that no
-- statement holds one table while it waits for another.
alter table messages drop constraint if exists messages_workspace_id_fkey;
alter table messages drop constraint if exists messages_conversation_id_fkey;
alter table messages drop constraint if exists messages_number_id_fkey;
alter table messages drop constraint if exists messages_contact_id_fkey;
alter table messages drop constraint if exists messages_api_key_id_fkey;
alter table messages drop constraint if exists messages_campaign_id_fkey;
