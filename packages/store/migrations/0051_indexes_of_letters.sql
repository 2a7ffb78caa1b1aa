-- concurrently
-- Each letter that is submitted, moved and despatched writes to every index of its table; this one is no longer read.
-- print_job_waiting_as took its place, and the release before the one that made it has neither. print_job_created_at is
-- not read by this release either. It stays for the previous one, which reads it each minute.
drop index concurrently if exists print_job_waiting;
