-- Documents of letters without files that are not in the object store yet. They are stored while the pipeline has
-- nothing else to do, and before their print run is released.
create table unstored_document (
  sha256 bytea primary key,
  print_job_key uuid not null,
  beginning_sha256 bytea,
  -- the whole document if it has no shared beginning
  rest bytea not null,
  since timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What many documents begin with: the typeface and the page. There are two for each release.
create table document_beginning (
  sha256 bytea primary key,
  bytes bytea not null
);
-- a PDF is compressed already
alter table document_beginning alter column bytes set storage external;
