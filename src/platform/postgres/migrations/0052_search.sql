-- names that are found by the beginning of any word; not breaking; triggers on tables that change rarely
-- A table, because an index of its own has one entry for each row, and a name has several words. "Mía Anna Keller" has
-- "mia anna keller", "anna keller" and "keller": so what somebody types is one range, however many words it has.
create table search_terms (
  workspace_id uuid not null,
  kind text not null check (kind in ('contact', 'campaign', 'template', 'endpoint', 'key', 'number')),
  term text collate "C" not null,
  subject_id uuid not null,
  primary key (workspace_id, kind, term, subject_id)
);

-- Without accents, in lower case, with one space between words. Cyrillic, Greek and some Latin letters by hand, because
-- lower() knows them in some locales only.
create function search_text(given text) returns text language sql immutable strict parallel safe
return trim(regexp_replace(
  translate(
    lower(regexp_replace(normalize(left(given, 200), NFKD), '[\u0300-\u036f]', '', 'g')),
    'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЄҐЂЈЉЊЋЏЅΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩØøŁłĐđıÆæŒœ',
    'абвгдежзийклмнопрстуфхцчшщъыьэюяієґђјљњћџѕαβγδεζηθικλμνξοπρστυφχψωoollddiaaoo'),
  '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000]+', ' ', 'g'));

create function search_terms_of(given text[]) returns setof text language sql immutable parallel safe as $$
  select distinct left(array_to_string(words[at:], ' '), 60)
  from unnest(given) one
  cross join lateral (select string_to_array(search_text(one), ' ')) split (words)
  cross join lateral generate_series(1, least(coalesce(cardinality(words), 0), 8)) at
$$;

-- Nothing of what was deleted, erased or merged.
create function searched_texts(of jsonb) returns text[] language sql immutable parallel safe
return case
  when coalesce(of ->> 'deleted_at', of ->> 'erased_at') is not null then '{}'
  else array[of ->> 'name', of ->> 'username', of ->> 'url', of ->> 'display_name']
end;

-- Triggers, so that the release before keeps the table too, and every way to rename, merge or erase.
create function index_terms() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from search_terms
    where workspace_id = old.workspace_id and kind = tg_argv[0] and subject_id = old.id
      and term = any(array(select search_terms_of(searched_texts(to_jsonb(old)))));
  end if;
  if tg_op <> 'DELETE' then
    insert into search_terms (workspace_id, kind, term, subject_id)
    select new.workspace_id, tg_argv[0], term, new.id
    from search_terms_of(searched_texts(to_jsonb(new))) term
    on conflict do nothing;
  end if;
  return null;
end
$$;

-- A contact without a name costs one comparison, as does a change that leaves the name.
create trigger contacts_terms_added after insert on contacts for each row
when (new.name is not null or new.username is not null) execute function index_terms('contact');
create trigger contacts_terms_changed after update of name, username, erased_at on contacts for each row
when ((old.name, old.username, old.erased_at is null) is distinct from (new.name, new.username, new.erased_at is null))
execute function index_terms('contact');
create trigger contacts_terms_removed after delete on contacts for each row execute function index_terms('contact');

create trigger campaigns_terms_added after insert or delete on campaigns for each row execute function index_terms('campaign');
create trigger campaigns_terms_changed after update of name, deleted_at on campaigns for each row
when ((old.name, old.deleted_at is null) is distinct from (new.name, new.deleted_at is null))
execute function index_terms('campaign');

create trigger templates_terms_added after insert or delete on templates for each row execute function index_terms('template');
create trigger templates_terms_changed after update of name on templates for each row
when (old.name is distinct from new.name) execute function index_terms('template');

create trigger endpoints_terms_added after insert or delete on endpoints for each row execute function index_terms('endpoint');
create trigger endpoints_terms_changed after update of name, url, deleted_at on endpoints for each row
when ((old.name, old.url, old.deleted_at is null) is distinct from (new.name, new.url, new.deleted_at is null))
execute function index_terms('endpoint');

create trigger api_keys_terms_added after insert or delete on api_keys for each row execute function index_terms('key');
create trigger api_keys_terms_changed after update of name on api_keys for each row
when (old.name is distinct from new.name) execute function index_terms('key');

create trigger numbers_terms_added after insert or delete on numbers for each row execute function index_terms('number');
create trigger numbers_terms_changed after update of display_name on numbers for each row
when (old.display_name is distinct from new.display_name) execute function index_terms('number');

-- For the rows from before. Each batch is a transaction, and holds only the rows that it writes about, so that one that
-- is erased at this moment is not written. Harmless when it runs again.
create procedure index_earlier_terms(source regclass, kind text) language plpgsql as $$
declare
  last uuid := '00000000-0000-0000-0000-000000000000';
  ids uuid[];
begin
  loop
    execute format('select array_agg(id order by id) from (select id from %s where id > $1 order by id limit 500) batch', source)
    into ids using last;
    exit when ids is null;
    loop
      begin
        execute format(
          'insert into search_terms (workspace_id, kind, term, subject_id)
          select held.workspace_id, $2, term, held.id
          from (select * from %s where id = any($1) order by id for share) held
          cross join lateral search_terms_of(searched_texts(to_jsonb(held))) term
          on conflict do nothing', source)
        using ids, kind;
        exit;
      exception when lock_not_available or deadlock_detected then
        -- A row of the batch is being written: the batch begins again.
      end;
    end loop;
    last := ids[cardinality(ids)];
    commit;
  end loop;
end
$$;
