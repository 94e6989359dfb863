-- the message log by API key, template and error; not breaking; builds indexes on a large table while it is written
-- None of them has inbound messages, so what a customer writes costs what it did.
create index concurrently if not exists messages_key on messages (workspace_id, api_key_id, id desc)
where api_key_id is not null;
create index concurrently if not exists messages_template on messages (workspace_id, (template ->> 'name'), id desc)
where template is not null;
create index concurrently if not exists messages_error on messages (workspace_id, (error ->> 'code'), id desc)
where status = 'FAILED';
