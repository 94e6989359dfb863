-- operators who may not sign in anywhere; not breaking (the release before lets them sign in)
alter table operators add column disabled_at timestamptz(3);
