-- Operators find letters by recipient, postcode, reference and correlation id. A search term is the keyed hash of one
-- word, so that no name is stored twice in clear text. The keys of print jobs begin with the time: reading the primary
-- key backwards lists the newest letters of a word first.
create table search_term (
  term bigint not null,
  print_job_key uuid not null,
  primary key (term, print_job_key)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);

-- The key of the hashes, created by the first process that needs it and sealed with the deployment's secret key.
create table search_key (
  id integer primary key check (id = 1),
  key_sealed bytea not null
);

alter table print_job
  -- The terms of its personal data, which its purge deletes. Null: its terms are still to be written.
  add column search_terms bigint[];

-- The previous release corrects addresses and purges letters without knowing the terms. A letter whose address is
-- corrected gets all its terms again; a purged one keeps only the term of its correlation id.
create function drop_search_terms() returns trigger language plpgsql as $$
begin
  delete from search_term where term = any (old.search_terms) and print_job_key = old.key;
  new.search_terms := case when new.purged_at is not null then '{}'::bigint[] end;
  return new;
end
$$;
create trigger print_job_search_terms before update of address_override, purged_at on print_job
  for each row when (old.search_terms is not null and (
    new.address_override is distinct from old.address_override or new.purged_at is distinct from old.purged_at))
  execute function drop_search_terms();
