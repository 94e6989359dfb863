-- the timeline of a call in its row, where each change writes it anyway; not breaking
-- [[milliseconds, kind, detail], ...] in the order in which it was written. Calls from before have theirs in
-- call_timeline, which the release before goes on writing and reading. The days of that table remain the mark of how far
-- timelines are forgotten.
alter table calls add column timeline jsonb;
