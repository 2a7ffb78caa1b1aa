-- A bulk action of the print jobs that match a filter may have more of them than one whose print jobs are named.
alter table bulk_action drop constraint if exists bulk_action_print_job_count_check;
alter table bulk_action add constraint bulk_action_print_job_count_check check (print_job_count between 1 and 10000);

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
