-- Vacuum reaches the tables of letters and callbacks while they change, and operators see what holds it up.
-- A pass of gathering, of the scheduler and of callbacks reads the dead rows since the last vacuum. With the default of
-- 20 %, a table of ten million rows collects two million of them.
alter table print_job set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
alter table print_run_document set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
alter table callback set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
-- These have few rows, all of which soon go: vacuum does not pause there.
alter table work_waiting set (autovacuum_vacuum_cost_delay = 0);
alter table work_later set (autovacuum_vacuum_cost_delay = 0);
alter table work_batch set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
alter table work_spent set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
alter table outbox set (autovacuum_vacuum_cost_delay = 0);
alter table count_change set (autovacuum_vacuum_cost_delay = 0);
alter table volume_change set (autovacuum_vacuum_cost_delay = 0);
alter table unstored_document set (autovacuum_vacuum_cost_delay = 0);
alter table doomed_object set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The transaction of this database that has been open for longest, by the name that its session gave itself. It runs
-- with the rights of the owner, because a role does not see when the transactions of other roles began.
create or replace function oldest_transaction() returns table (application text, since timestamptz)
  language sql stable security definer set search_path = public, pg_temp as $$
  select application_name, xact_start from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and xact_start is not null
    and pid <> pg_backend_pid()
  order by xact_start limit 1
$$;
revoke execute on function oldest_transaction() from public;
