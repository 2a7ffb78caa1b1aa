-- Letters that wait for their day are many and wait for long. Each pass looked at the row of each; the index says it now.
drop index print_job_gatherable;
create index print_job_gatherable on print_job (created_at, (coalesce(route_after, '-infinity'::timestamptz)))
  where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null;
