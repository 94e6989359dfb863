-- what was wrong with an attempt besides its code, such as why a certificate was rejected; not breaking
alter table attempts add column error_detail text;
