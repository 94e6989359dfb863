-- the indexes of messages and conversations in rising order: they are smaller and cheaper to write; not breaking; builds indexes on large tables while they are written
-- Lists read them backwards, at the same cost. An index that begins with the newest grows at the front: its pages are
-- split in the middle, where Postgres cannot know that nothing follows, and stay half empty. One after the other, so
-- that there is never more than one twice.
create index concurrently if not exists messages_workspace_rising on messages (workspace_id, id);
drop index concurrently if exists messages_workspace;
alter index if exists messages_workspace_rising rename to messages_workspace;
create index concurrently if not exists messages_conversation_rising on messages (workspace_id, conversation_id, id);
drop index concurrently if exists messages_conversation;
alter index if exists messages_conversation_rising rename to messages_conversation;
create index concurrently if not exists messages_contact_rising on messages (workspace_id, contact_id, id);
drop index concurrently if exists messages_contact;
alter index if exists messages_contact_rising rename to messages_contact;
create index concurrently if not exists messages_number_rising on messages (workspace_id, number_id, id);
drop index concurrently if exists messages_number;
alter index if exists messages_number_rising rename to messages_number;
create index concurrently if not exists messages_state_rising on messages (workspace_id, direction, status, id);
drop index concurrently if exists messages_state;
alter index if exists messages_state_rising rename to messages_state;
create index concurrently if not exists messages_type_rising on messages (workspace_id, type, id);
drop index concurrently if exists messages_type;
alter index if exists messages_type_rising rename to messages_type;
create index concurrently if not exists messages_unread_rising on messages (conversation_id, id) where status = 'RECEIVED';
drop index concurrently if exists messages_unread;
alter index if exists messages_unread_rising rename to messages_unread;
create index concurrently if not exists messages_campaign_rising on messages (workspace_id, campaign_id, id) where campaign_id is not null;
drop index concurrently if exists messages_campaign;
alter index if exists messages_campaign_rising rename to messages_campaign;
create index concurrently if not exists messages_key_rising on messages (workspace_id, api_key_id, id) where api_key_id is not null;
drop index concurrently if exists messages_key;
alter index if exists messages_key_rising rename to messages_key;
create index concurrently if not exists messages_template_rising on messages (workspace_id, (template ->> 'name'), id) where template is not null;
drop index concurrently if exists messages_template;
alter index if exists messages_template_rising rename to messages_template;
create index concurrently if not exists messages_error_rising on messages (workspace_id, (error ->> 'code'), id) where status = 'FAILED';
drop index concurrently if exists messages_error;
alter index if exists messages_error_rising rename to messages_error;
create index concurrently if not exists conversations_activity_rising on conversations (workspace_id, updated_at, id);
drop index concurrently if exists conversations_activity;
alter index if exists conversations_activity_rising rename to conversations_activity;
create index concurrently if not exists conversations_unread_rising on conversations (workspace_id, updated_at, id) where unread_count > 0;
drop index concurrently if exists conversations_unread;
alter index if exists conversations_unread_rising rename to conversations_unread;
create index concurrently if not exists conversations_number_rising on conversations (workspace_id, number_id, updated_at, id);
drop index concurrently if exists conversations_number;
alter index if exists conversations_number_rising rename to conversations_number;
