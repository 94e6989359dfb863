-- one recipient for each person of a campaign; not breaking; reads recipients once
create unique index concurrently if not exists recipients_person on recipients (contact_id, campaign_id)
  where contact_id is not null;
