-- a message that an actor could not handle is one row, however often it comes again; not breaking
alter table actor_dead_letters
  add column count bigint not null default 1,
  add column last_at timestamptz(3) not null default now();
create unique index actor_dead_letters_once on actor_dead_letters (actor_kind, actor_id, message_type, md5(error));
create index actor_dead_letters_last on actor_dead_letters (last_at);
