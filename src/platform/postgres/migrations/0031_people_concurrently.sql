-- indexes for merged contacts; not breaking; reads contacts and conversations once
create index concurrently if not exists contacts_merging on contacts (merging_until) where merging_until is not null;
create index concurrently if not exists contacts_merged on contacts (merged_into) where merged_into is not null;
create index concurrently if not exists conversations_merged on conversations (merged_into) where merged_into is not null;
