-- endpoints are not found by the query of their URL, which may be a secret; not breaking; locks endpoints for as long as their terms are written
-- Nobody writes an endpoint meanwhile: the trigger would index it with the function from before.
lock table endpoints in share row exclusive mode;

create or replace function searched_texts(of jsonb) returns text[] language sql immutable parallel safe
return case
  when coalesce(of ->> 'deleted_at', of ->> 'erased_at') is not null then '{}'
  else array[of ->> 'name', of ->> 'username', split_part(of ->> 'url', '?', 1), of ->> 'display_name']
end;

delete from search_terms t
using endpoints e
where t.workspace_id = e.workspace_id and t.kind = 'endpoint' and t.subject_id = e.id and strpos(e.url, '?') > 0;

insert into search_terms (workspace_id, kind, term, subject_id)
select e.workspace_id, 'endpoint', term, e.id
from endpoints e
cross join lateral search_terms_of(searched_texts(to_jsonb(e))) term
where strpos(e.url, '?') > 0
on conflict do nothing;
