-- why a campaign paused itself, and refusals in a row over all workers; not breaking
alter table campaigns add column pause_error jsonb;

-- Written with the outcomes of sends: the code of the latest answers (empty: accepted), how many they are, and the
-- error that came too often, all within one epoch of the campaign.
create table campaign_refusals (
  campaign_id uuid primary key references campaigns on delete cascade,
  workspace_id uuid not null,
  epoch bigint not null,
  code text not null,
  in_a_row integer not null,
  tripped jsonb
);
