-- A print run is gathered, then its documents are numbered page by page, then it is RELEASED. It stays OPEN while it is numbered:
-- an older release that meets such a run can still release it.
alter table print_run
  -- rows in print_run_document, and the most sheets of one; null: an older release opened the run, so count them
  add column gathered_count integer,
  add column sheets_max integer,
  -- gathering has ended: nothing is added from now on, and documents are numbered
  add column release_began_at timestamptz,
  -- so long others leave the numbering to the process that is at it
  add column release_lease_until timestamptz,
  -- attempts to release it that failed, with the class of the last fault
  add column release_failures integer not null default 0,
  add column release_fault text,
  add column release_tried_at timestamptz,
  add column release_retry_at timestamptz;
create unique index print_run_one_collecting on print_run (provider_id, print_location, despatch_method, stationery, plex, colour, format)
  where state = 'OPEN' and release_began_at is null;
drop index print_run_one_open;
create index print_run_to_release on print_run (release_began_at) where state = 'OPEN' and release_began_at is not null;
