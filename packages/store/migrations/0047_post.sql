-- The despatch method by which a letter is produced: an international address has no class of the United Kingdom. Letters
-- of the previous release have none, and keep the method with which they were submitted.
alter table print_job add column if not exists produced_as text;
-- What the carrier counted, with its weight bands, beside our estimate. Null: the provider reported no counts.
alter table posting add column if not exists counts jsonb;
-- commit
-- concurrently
-- Letters in no print run, in the order of their due dates. Replaces print_job_waiting, which the previous release reads.
create index concurrently print_job_waiting_as on print_job (
  (coalesce(produced_as, standard_params ->> 'despatchMethod', 'SECOND')),
  (greatest(created_at, not_before, hold_ended_at)))
  where status in ('QUARANTINE', 'VALIDATING', 'PENDING') and batch_number is null and deleted_at is null
    and held_at is null;
