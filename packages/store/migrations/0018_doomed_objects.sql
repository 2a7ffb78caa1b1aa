-- Files and documents that may have lost their last user: docs/decisions/0015-when-bytes-may-be-removed.md says why their
-- removal is safe while others come to name the same bytes.
create sequence doom_number;
create table doomed_object (
  kind text not null check (kind in ('file', 'document')),
  sha256 bytea not null,
  cause text not null check (cause in ('purged', 'replaced', 'unnamed', 'orphaned')),
  -- when it was doomed; from its removal on, when it was removed
  since timestamptz not null default now(),
  -- another each time that it is doomed: whoever acts on the row names the one that it has seen
  doom bigint not null default nextval('doom_number'),
  -- somebody has to look whether it is in use; false: it has been removed
  is_due boolean not null default true,
  -- nobody may come to name the bytes before they have been stored again
  is_barred boolean not null default false,
  -- so long others leave it to whoever is at it
  lease_until timestamptz,
  primary key (kind, sha256),
  check (is_due or is_barred)
);
create index doomed_object_due on doomed_object (since) where is_due;
create index doomed_object_removed on doomed_object (since) where not is_due;

-- The lock that whoever names bytes shares and a removal waits for: few, since one transaction may name very many.
create function object_lane(kind text, sha256 bytea) returns integer language sql immutable as $$
  select hashtext(kind || encode(sha256, 'hex')) & 255
$$;

-- Every query in here sees what was committed before it, so what is looked up is not older than the lock.
create function rely_on_object(named_kind text, named_sha256 bytea) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1146048333, object_lane(named_kind, named_sha256));
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

create trigger print_job_file_named after insert on print_job_file
  for each row when (new.sha256 is not null) execute function rely_on_file();
create trigger print_job_file_renamed after update of sha256 on print_job_file
  for each row when (new.sha256 is not null and new.sha256 is distinct from old.sha256) execute function rely_on_file();
create trigger print_job_document_named after insert on print_job
  for each row when (new.document_sha256 is not null) execute function rely_on_document();
create trigger print_job_document_renamed after update of document_sha256 on print_job
  for each row when (new.document_sha256 is not null and new.document_sha256 is distinct from old.document_sha256)
  execute function rely_on_document();
