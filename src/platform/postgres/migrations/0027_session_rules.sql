-- what a workspace asks of the sessions of its members; not breaking (the release before asks nothing)
-- From that time on a member without a second factor is turned away; null: never.
alter table workspaces
  add column second_factor_from timestamptz(3),
  add column session_minutes integer check (session_minutes between 15 and 10080),
  add column idle_minutes integer check (idle_minutes between 5 and 720);

-- The longest time that the session was unused: what one workspace takes for its end, another may not.
alter table sessions add column longest_pause interval not null default '0';
