-- Operations: print jobs that wait for a day or for somebody's approval, and what is removed when its time is over.
alter table contract
  -- its print jobs wait until somebody has released them
  add column hold_for_approval boolean not null default false,
  -- how long what is personal is kept after the end; null: as the deployment says
  add column retention_days integer check (retention_days between 1 and 36500);

alter table print_job
  -- the first moment at which it may be gathered into a print run, as the consumer asked
  add column not_before timestamptz,
  -- it waits until somebody releases it
  add column held_at timestamptz,
  add column held_by text,
  add column hold_reason text,
  -- what is personal is being removed since; and has been
  add column purge_began_at timestamptz,
  add column purged_at timestamptz,
  -- W3C traceparent of the request that submitted it; null: it is not traced
  add column trace_context text,
  add constraint print_job_held check ((held_at is null) = (held_by is null));
drop index print_job_gatherable;
create index print_job_gatherable on print_job (created_at)
  where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null;
create index print_job_held_since on print_job (held_at) where held_at is not null and deleted_at is null;

-- What has ended and still holds what is personal, the longest ended first: the retention is the contract's.
create index print_job_to_purge on print_job (contract_id, (coalesce(despatched_at, deleted_at, updated_at)), key)
  where purged_at is null and (status in ('DESPATCHED', 'REJECTED') or deleted_at is not null);
-- Who else has the same bytes: their object goes with the last of them.
create index print_job_document_sha256 on print_job (document_sha256)
  where document_sha256 is not null and purge_began_at is null;
create index print_job_file_sha256 on print_job_file (sha256) where sha256 is not null;
-- What is checked of the last day's print jobs once a minute: next to nothing to keep.
create index print_job_created_at on print_job using brin (created_at timestamptz_minmax_multi_ops);
-- What the volume report counts by day. Ranges with gaps: an event that a purge writes anew stands among far later ones.
create index print_job_event_at on print_job_event using brin (at timestamptz_minmax_multi_ops);
