-- A bulk action of the print jobs that match filters may have more of them than one whose print jobs are named. The
-- person who confirms it sees the filters.
alter table bulk_action drop constraint if exists bulk_action_print_job_count_check;
alter table bulk_action add constraint bulk_action_print_job_count_check check (print_job_count between 1 and 10000);
alter table bulk_action
  -- without the text that was searched for, which may be personal
  add column if not exists matching jsonb,
  -- keyed hash of all filters: tells a repeated request from another one
  add column if not exists matching_hash bytea,
  -- Outcomes, kept once it has ended. Null: count its print jobs. The previous release writes none.
  add column if not exists done_count integer,
  add column if not exists refused_count integer,
  add column if not exists absent_count integer,
  add column if not exists not_begun_count integer;

-- The requests of a consumer to a service in the last day (UTC) on which it sent any, whether or not its plan limits a
-- day. There is one row for each consumer and service, so nothing has to be deleted.
create table if not exists usage_of_day (
  consumer_id uuid not null references consumer (id),
  service text not null,
  day integer not null,
  requests bigint not null,
  refused bigint not null,
  peak_per_second integer not null,
  primary key (consumer_id, service)
);

-- When a hold by its consumer or contract last ended. The due date of a letter counts from then.
alter table print_job add column if not exists hold_ended_at timestamptz;
-- commit
-- concurrently
-- Letters in no print run, in the order of their due dates.
create index concurrently print_job_waiting on print_job (
  (coalesce(standard_params ->> 'despatchMethod', 'SECOND')), (greatest(created_at, not_before, hold_ended_at)))
  where status in ('QUARANTINE', 'VALIDATING', 'PENDING') and batch_number is null and deleted_at is null
    and held_at is null;
