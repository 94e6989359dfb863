-- an index of messages by their metadata, and which attempt of a delivery was hurried; not breaking
-- One row for each pair of each message that has any. A table, because an index of its own can be read in the order of
-- the list only if it has one entry for each pair. A digest, because a pair may be longer than an entry of an index.
create table message_metadata (
  workspace_id uuid not null,
  pair bytea not null,
  message_id uuid not null,
  primary key (workspace_id, pair, message_id)
);

-- The length keeps apart what would be the same text. convert_to depends on the encoding of the database, which is fixed.
create function metadata_pair(name text, value text) returns bytea language sql immutable strict parallel safe
return substring(sha256(convert_to(length(name) || ':' || name || value, 'UTF8')) for 8);

-- Triggers, so that the release before keeps the index too, and every way to erase or change a message.
create function index_metadata() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from message_metadata
    where workspace_id = old.workspace_id and message_id = old.id
      and pair = any(array(select metadata_pair(key, value) from jsonb_each_text(old.metadata)));
  end if;
  if tg_op <> 'DELETE' then
    insert into message_metadata (workspace_id, pair, message_id)
    select new.workspace_id, metadata_pair(key, value), new.id
    from jsonb_each_text(new.metadata)
    on conflict do nothing;
  end if;
  return null;
end
$$;

-- Messages without metadata cost one comparison.
create trigger messages_metadata_added after insert on messages for each row
when (new.metadata <> '{}') execute function index_metadata();
create trigger messages_metadata_changed after update of metadata on messages for each row
when (old.metadata is distinct from new.metadata) execute function index_metadata();
create trigger messages_metadata_removed after delete on messages for each row
when (old.metadata <> '{}') execute function index_metadata();

-- For the messages from before. Each batch is a transaction, and holds only the rows that it writes about, so that one
-- that is erased at this moment is not written. Harmless when it runs again.
create procedure index_earlier_metadata() language plpgsql as $$
declare
  last uuid := '00000000-0000-0000-0000-000000000000';
  ids uuid[];
begin
  loop
    select array_agg(id order by id) into ids
    from (select id from messages where id > last order by id limit 2000) batch;
    exit when ids is null;
    loop
      begin
        insert into message_metadata (workspace_id, pair, message_id)
        select m.workspace_id, metadata_pair(p.key, p.value), m.id
        from (
          select id, workspace_id, metadata
          from messages
          where id = any(ids) and metadata <> '{}'
          order by id
          for share
        ) m
        cross join jsonb_each_text(m.metadata) p
        on conflict do nothing;
        exit;
      exception when lock_not_available or deadlock_detected then
        -- A message of the batch is being written: the batch begins again.
      end;
    end loop;
    last := ids[cardinality(ids)];
    commit;
  end loop;
end
$$;

-- The attempts made before it was hurried: a number and no time, so that two clicks are told apart whatever clocks say.
-- At the end, because nobody reads or writes deliveries until the commit.
alter table deliveries add column hurried_after integer;
