-- what the provider said of calls, kept whole; not breaking
-- When the provider last said anything about a call: one that is accepted is given up after hours of silence.
alter table calls add column heard_at timestamptz(3);

-- An SDP that was put to the provider and whose outcome was lost: others may be tried, and its own repeat is known.
alter table calls add column doubt_hash bytea;

-- How a call ended that was not known yet: the late connect makes a call that stands as if it had rung and ended then.
alter table call_tombstones add column duration_seconds integer;
alter table call_tombstones add column error jsonb;

-- When the contact said it: of replies that come late and out of order, the latest counts.
alter table conversations add column call_permission_at timestamptz(3);
