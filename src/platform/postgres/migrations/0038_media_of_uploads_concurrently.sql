-- which messages have an uploaded file, while attachments are written; not breaking
drop index concurrently if exists media_of_upload;
create index concurrently media_of_upload on media (upload_id) where upload_id is not null;
