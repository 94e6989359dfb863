-- where accounts come from and which are verified, offered second factors, when an endpoint moved; not breaking
-- Whoever runs the installation verifies that the address of an account belongs to the person who uses it. An account
-- that the operator command creates is verified from the start.
alter table operators
  add column verified_at timestamptz(3),
  add column invited_by uuid references operators on delete set null,
  add column invited_to uuid references workspaces;

-- Until now only the audit knows: an account that came by an invitation is the author of its own creation.
with created as (
  select subject_id as id, operator_id is not distinct from subject_id as by_invitation
  from audit
  where action = 'operator.created'
)
update operators o
set verified_at = o.created_at
where not exists (select from created c where c.id = o.id and c.by_invitation);

with accepted as (
  select distinct on (operator_id) operator_id, workspace_id, subject_id
  from audit
  where action = 'invitation.accepted'
  order by operator_id, id
)
update operators o
set invited_to = a.workspace_id,
  invited_by = (
    select p.id
    from audit i
    join operators p on p.id = i.operator_id
    where i.subject_id = a.subject_id and i.action = 'invitation.created'
    order by i.id desc
    limit 1)
from accepted a
where a.operator_id = o.id and o.verified_at is null;

-- The seed of a second factor that was shown in this session, sealed, until a code proves that an app has it.
alter table sessions add column totp_offer bytea;

-- What is older than the address of an endpoint was never meant for that address.
alter table endpoints add column url_changed_at timestamptz(3);
