-- the browser of each audit entry, indexes for events of accounts, and entries that nothing changes; not breaking
alter table audit add column user_agent text;

-- Events of accounts, which belong to no workspace: all of them, and those of one account.
create index audit_accounts on audit (id desc) where workspace_id is null;
create index audit_account on audit
  ((case when subject_kind = 'operator' then subject_id else operator_id end), id desc)
  where workspace_id is null;

-- An entry that is committed stays as it is. Deleting an operator may clear operator_id. The release before merged the
-- slices of an upload into the entry of the first one (part_of), and the batches of a replay likewise: while it still
-- runs, its later slices and batches leave that entry alone.
create function audit_is_final() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.operator_id is not null and new.operator_id is null
      and to_jsonb(new) - 'operator_id' = to_jsonb(old) - 'operator_id' then
      return new;
    end if;
    if old.part_of is not null or old.action in ('endpoint.deliveries_replayed', 'endpoint.deliveries_discarded') then
      return null;
    end if;
  end if;
  raise exception 'entries of the audit are never changed' using errcode = 'integrity_constraint_violation';
end $$;
create trigger audit_is_final before update or delete on audit for each row execute function audit_is_final();
