-- Documents of letters without files that are not in the object store yet. They are stored while the pipeline has
-- nothing else to do, and before their print run is released.
create table unstored_document (
  sha256 bytea primary key,
  print_job_key uuid not null,
  pdf bytea not null,
  since timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- a PDF is compressed already
alter table unstored_document alter column pdf set storage external;
