-- Documents of letters without files that are not in the object store yet. They are stored while the pipeline has
-- nothing else to do, and before their print run is released. Letters with equal documents share one.
create table unstored_document (
  sha256 bytea primary key,
  beginning_sha256 bytea,
  -- the whole document if it has no shared beginning
  rest bytea not null,
  since timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index unstored_document_since on unstored_document (since);

-- What many documents begin with: the typeface and the page. There are two for each release.
create table document_beginning (
  sha256 bytea primary key,
  bytes bytea not null
);
-- a PDF is compressed already
alter table document_beginning alter column bytes set storage external;

-- A provider reads the documents of a released run from the object store. The previous release does not know this table.
create function refuse_unstored_documents() returns trigger language plpgsql as $$
begin
  if exists (
    select from unstored_document where sha256 in (
      select sha256 from print_run_document
      where batch_number = new.batch_number and removed_at is null offset 0))
  then
    raise exception 'Documents of print run % are not in the object store', new.batch_number using errcode = 'DS002';
  end if;
  return new;
end
$$;
create trigger print_run_documents_stored before update of state on print_run
  for each row when (old.state = 'OPEN' and new.state = 'RELEASED') execute function refuse_unstored_documents();
