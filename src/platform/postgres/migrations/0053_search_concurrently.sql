-- numbers that are found by their last digits, and the names from before; not breaking; reads all contacts once
create index concurrently if not exists contacts_number_end on contacts (workspace_id, reverse(wa_id) text_pattern_ops);
create index concurrently if not exists contact_aliases_end on contact_aliases (workspace_id, reverse(address) text_pattern_ops);
call index_earlier_terms('contacts', 'contact');
call index_earlier_terms('campaigns', 'campaign');
call index_earlier_terms('templates', 'template');
call index_earlier_terms('endpoints', 'endpoint');
call index_earlier_terms('api_keys', 'key');
call index_earlier_terms('numbers', 'number');
analyze search_terms;
