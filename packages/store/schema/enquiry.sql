-- Who asked for which vehicle or driver.

-- One row for each enquiry, written before its answer goes out: who asked, when and what for. It keeps names of what
-- was asked and a keyed hash of the number, and nothing of what was typed or found.
-- Written by driver-find, full-driver-enquiry and vehicle-enquiry. Read by administration. A row is deleted when it
-- is older than `retention` says; triggers refuse every other change.
create table enquiry_audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- Refers to no row: that would lock the consumer's row for each of its enquiries, and consumers are never deleted.
  consumer_id uuid not null,
  service text not null check (service in ('vehicle-enquiry', 'full-driver-enquiry', 'driver-find')),
  number_hash bytea check (octet_length(number_hash) = 32),
  outcome text not null check (outcome in ('found', 'not-found', 'partial', 'refused', 'failed')),
  status integer not null check (status between 200 and 599),
  correlation_id text not null check (length(correlation_id) between 1 and 255),
  purpose text check (purpose ~ '^[A-Za-z0-9 _.:/-]{1,64}$'),
  asked text[] not null default '{}' check (cardinality(asked) <= 64),
  results integer check (results >= 0),
  check ((outcome = 'failed') = (status >= 500)),
  check (outcome not in ('found', 'partial') or status < 400)
);
create index enquiry_audit_time on enquiry_audit (at, id);
create index enquiry_audit_consumer on enquiry_audit (consumer_id, at, id);
create index enquiry_audit_number on enquiry_audit (number_hash, at, id) where number_hash is not null;

create trigger enquiry_audit_append_only before update or truncate on enquiry_audit
  for each statement execute function refuse_change();

-- How many days rows of a kind are kept. Only the owner of the database writes it, with `npm run migrate`: a service
-- whose traces these rows are must not decide how long they last. purge_enquiry_audit reads it. A row stays.
create table retention (
  kind text primary key check (kind in ('enquiry-audit')),
  days integer not null check (days between 1 and 36500)
);
insert into retention (kind, days) values ('enquiry-audit', 730);

-- The one way to delete rows of the audit of enquiries: those older than the retention, at most rows_max of them, the
-- oldest first. Returns how many. Processes that purge at the same time take different rows and do not wait for each
-- other. It runs with the rights of its owner, and only the pipeline, which adds no row here, may call it. Partitions
-- that are dropped whole would have to be made ahead, or no enquiry could be answered; would lock out writers while
-- they come and go; and a drop fires no trigger that could refuse it.
create function purge_enquiry_audit(rows_max integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before timestamptz := now() - (select days from retention where kind = 'enquiry-audit') * interval '1 day';
  purged integer;
begin
  perform set_config('despatch.enquiry_audit_purged_before', before::text, true);
  delete from enquiry_audit where id in (
    select id from enquiry_audit where at < before order by at, id limit rows_max for update skip locked
  );
  get diagnostics purged = row_count;
  perform set_config('despatch.enquiry_audit_purged_before', '', true);
  return purged;
end $$;
revoke execute on function purge_enquiry_audit(integer) from public;

-- Refuses every other DELETE. The mark lasts as long as the function above runs and is of its transaction alone. This
-- keeps a mistake from doing harm; a role that may alter the table could remove the trigger, too.
create function refuse_early_purge() returns trigger language plpgsql as $$
declare
  before timestamptz := nullif(current_setting('despatch.enquiry_audit_purged_before', true), '');
begin
  if before is null then
    raise exception '% is append-only: rows leave it by purge_enquiry_audit', tg_table_name;
  end if;
  if exists (select from purged where at >= least(before, now() - interval '1 day')) then
    raise exception '% keeps each row for a day at least', tg_table_name;
  end if;
  return null;
end $$;
create trigger enquiry_audit_purge_only after delete on enquiry_audit
  referencing old table as purged
  for each statement execute function refuse_early_purge();
