-- which second factor an operator has, counted, so that a proof with a former one does not count; not breaking
alter table operators add column totp_generation integer not null default 0;

-- The seed also changes where the secret stays: with each code that is used, and when it is sealed by another key.
-- Neither of them writes updated_at, as a new secret does; so do processes of the release before.
create function count_totp_generation() returns trigger language plpgsql as $$
begin
  if (old.totp_seed is null) <> (new.totp_seed is null) or new.updated_at is distinct from old.updated_at then
    new.totp_generation := old.totp_generation + 1;
  end if;
  return new;
end $$;
create trigger count_totp_generation before update of totp_seed on operators for each row
  when (old.totp_seed is distinct from new.totp_seed) execute function count_totp_generation();
