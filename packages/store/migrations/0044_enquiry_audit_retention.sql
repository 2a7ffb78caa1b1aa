-- How many days rows of a kind are kept. Only the owner of the database writes this table, with each migration: a service
-- whose traces these rows are must not decide how long they last.
create table retention (
  kind text primary key check (kind in ('enquiry-audit')),
  days integer not null check (days between 1 and 36500)
);
insert into retention (kind, days) values ('enquiry-audit', 730) on conflict do nothing;

-- The one way to delete rows of the audit of enquiries: those older than the retention, at most rows_max of them, the
-- oldest first. Returns how many. Processes that purge at the same time take different rows and do not wait for each
-- other. It runs with the rights of its owner, and only the pipeline, which adds no row here, may call it.
create or replace function purge_enquiry_audit(rows_max integer) returns integer
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

-- Its caller chose the age of the rows.
drop function if exists purge_enquiry_audit(timestamptz, integer);
