-- the metadata of messages from before, in batches, while they are written; not breaking; reads all messages once
call index_earlier_metadata();
analyze message_metadata;
