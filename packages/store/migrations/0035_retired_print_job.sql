-- Some time after their purge, print jobs leave the database. Their ids stay taken, so that a late retry prints nothing.
-- Two hashes of the consumer and the id, 128 bits together: a row takes less than 100 bytes, whatever the length of the
-- id. A cryptographic hash would take a fifth of the time of a submission; with this one, a consumer that looks for
-- equal hashes can only block ids of its own.
create table if not exists retired_print_job (
  first_hash bigint not null,
  second_hash bigint not null,
  primary key (first_hash, second_hash)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);

create or replace function retired_id_hash(consumer_id uuid, id text, seed bigint) returns bigint
language sql immutable as $$
  select hashtextextended(id, uuid_hash_extended(consumer_id, seed))
$$;

-- A submission looks for its id before it is inserted. This also finds the id of a print job that is retired meanwhile,
-- and those that the previous release submits, which does not look.
create or replace function refuse_retired_ids() returns trigger language plpgsql as $$
begin
  if exists (
    select from added where exists (
      select from retired_print_job
      where first_hash = retired_id_hash(added.consumer_id, added.id, 1)
        and second_hash = retired_id_hash(added.consumer_id, added.id, 2) offset 0))
  then
    raise exception 'The id of a print job that was retired is taken' using errcode = 'DS003';
  end if;
  return null;
end
$$;

-- commit
create or replace trigger print_job_ids_free after insert on print_job
  referencing new table as added for each statement execute function refuse_retired_ids();

-- commit
-- What is deleted with a print job refers to it. Checking these references would read the tables from end to end.
alter table print_run_document drop constraint if exists print_run_document_print_job_key_fkey;
alter table upload drop constraint if exists upload_print_job_key_fkey;

-- commit
-- concurrently
-- Print jobs that were purged, the longest ago first.
create index concurrently print_job_purged on print_job (purged_at, key) where purged_at is not null;
