-- Bytes in the object store: those that are not stored yet, and those that no row may need any more.

-- Documents of letters without files that are not in the object store yet. They are stored while the pipeline has
-- nothing else to do, and before their print run is released. Letters with equal documents share one.
-- Written by administration and pipeline. Read by administration, pipeline and print-request. A row is deleted when
-- its document is stored, or when no letter has it any more.
create table unstored_document (
  sha256 bytea primary key,
  beginning_sha256 bytea,
  -- the whole document if it has no shared beginning
  rest bytea not null,
  since timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index unstored_document_since on unstored_document (since);

-- What many documents begin with: the typeface and the page.
-- Written by pipeline. Read by administration, pipeline and print-request. A row stays: there are two for each
-- release.
create table document_beginning (
  sha256 bytea primary key,
  bytes bytea not null
);
-- a PDF is compressed already
alter table document_beginning alter column bytes set storage external;

-- Refuses to release a print run whose documents are not in the object store yet.
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

create sequence doom_number;

-- Files and documents that may have lost their last user: docs/decisions/0015-when-bytes-may-be-removed.md says why
-- their removal is safe while others come to name the same bytes.
-- Written and read by administration, pipeline and print-request. A row is deleted when its bytes turn out to be in
-- use, or a day after they were removed.
create table doomed_object (
  kind text not null check (kind in ('file', 'document')),
  sha256 bytea not null,
  cause text not null check (cause in ('purged', 'replaced', 'unnamed', 'orphaned')),
  -- when it was marked for deletion; after its removal, when it was removed
  since timestamptz not null default now(),
  -- another each time that it is marked: a process that acts on the row names the one that it has seen
  doom bigint not null default nextval('doom_number'),
  -- a process must check whether it is in use; false: it has been removed
  is_due boolean not null default true,
  -- no row may name the bytes before they have been stored again
  is_barred boolean not null default false,
  -- until then, other processes leave it to the one that has it
  lease_until timestamptz,
  primary key (kind, sha256),
  check (is_due or is_barred)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index doomed_object_due on doomed_object (since) where is_due;
create index doomed_object_removed on doomed_object (since) where not is_due;

-- Transactions that name bytes share this lock, and a removal waits for it. There are few such locks, because one
-- transaction may name very many bytes.
create function object_lock(kind text, sha256 bytea) returns integer language sql immutable as $$
  select hashtext(kind || encode(sha256, 'hex')) & 255
$$;

-- Every query in here sees what was committed before it, so what is looked up is not older than the lock.
create function rely_on_object(named_kind text, named_sha256 bytea) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1146048333, object_lock(named_kind, named_sha256));
  if exists (select from doomed_object where kind = named_kind and sha256 = named_sha256 and is_barred) then
    raise exception 'A % that is named is being removed, or was: it has to be stored again', named_kind
      using errcode = 'DS001';
  end if;
end
$$;

create function rely_on_file() returns trigger language plpgsql as $$
begin
  perform rely_on_object('file', new.sha256);
  return null;
end
$$;
create function rely_on_document() returns trigger language plpgsql as $$
begin
  perform rely_on_object('document', new.document_sha256);
  return null;
end
$$;

-- How far the walk over the bucket has come that finds files and documents that no row names. Processes share the walk:
-- each takes a page of a part of the bucket at a time, and a restart continues where the last page ended.
-- Written and read by pipeline. A row stays: there is one for each part.
create table orphan_walk (
  -- the keys of the part begin with it
  prefix text primary key,
  -- the last key that was examined; null: the walk of this part begins
  after text,
  -- when the walk of this part last began
  started_at timestamptz,
  is_complete boolean not null default true,
  -- until then, a process examines a page of this part
  lease_until timestamptz
);
insert into orphan_walk (prefix)
select place || '/' || to_hex(digit) from unnest('{files,documents}'::text[]) place, generate_series(0, 15) digit;
