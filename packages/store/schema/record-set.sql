-- Records of vehicles and drivers, in whole sets.

-- A whole set of records of one kind. A set is loaded beside the current one and takes its place in one UPDATE, so
-- that an enquiry reads the old set or the new one and never a part of each. The set before is kept until the next
-- takes over.
-- Written by administration. Read by administration, driver-find, driver-sources, full-driver-enquiry and
-- vehicle-enquiry. A row stays when its records are gone: it says how many rows were read and rejected.
create table record_set (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('driver', 'vehicle', 'uat-driver')),
  -- replace: the rows that are loaded are all there are; update: they are put over the current set
  mode text not null check (mode in ('replace', 'update')),
  state text not null check (state in ('LOADING', 'PUBLISHING', 'CURRENT', 'RETIRED', 'DROPPED', 'ABANDONED')),
  -- shows whether a source that is read again is the one whose reading broke off
  source_sha256 bytea not null,
  rows_read bigint not null default 0 check (rows_read >= 0),
  rows_rejected bigint not null default 0 check (rows_rejected >= 0),
  -- how many records the set has once it is published
  record_count bigint check (record_count >= 0),
  created_by text not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  ended_at timestamptz
);
create unique index record_set_current on record_set (kind) where state = 'CURRENT';
create unique index record_set_loading on record_set (kind) where state in ('LOADING', 'PUBLISHING');

-- Why a row was not taken, by its place in the source: names of fields and rules, never a value.
-- Written and read by administration. A row stays.
create table record_set_reject (
  set_id bigint not null references record_set (id),
  row_number bigint not null check (row_number > 0),
  reasons text[] not null,
  primary key (set_id, row_number)
);

-- Vehicles. One partition for each set: a set is loaded into a table of its own, attached, and dropped whole.
-- Read by administration and vehicle-enquiry. administration loads the partitions. A row leaves with its set.
create table vehicle_record (
  set_id bigint not null,
  registration_number text not null,
  -- the answer to an enquiry
  record json not null,
  primary key (set_id, registration_number)
) partition by list (set_id);

-- Drivers, in the same way. Names are searched in driver_search.
-- Read by administration, driver-find, driver-sources and full-driver-enquiry. administration loads the partitions,
-- and driver-find in a test environment. A row leaves with its set.
create table driver_record (
  set_id bigint not null,
  driving_licence_number text not null,
  -- driver, licence, entitlement, endorsements and token; literals that follow from a code are left out
  record json not null,
  -- read by the sources of CPC and tachograph data alone
  cpc json,
  tachograph json,
  -- a JPEG
  photograph bytea,
  primary key (set_id, driving_licence_number)
) partition by list (set_id);
alter table driver_record alter column photograph set storage external;

create function tables_of_record_set(kind text) returns text[] language sql immutable as $$
  select case kind
    when 'vehicle' then array['vehicle_record']
    when 'driver' then array['driver_record', 'driver_search']
    when 'uat-driver' then array['driver_record', 'driver_search']
  end
$$;

-- Creates the tables of a set that is being loaded, unless they exist, and lets the caller fill them. Does nothing for
-- any other set. Only numbers are unique and indexed, for the lookup during loading. The constraint states what the
-- partition may contain, so that attaching it reads none of its rows.
create function prepare_record_set(id_of_set bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  kind_of_set text := (select kind from record_set where id = id_of_set and state in ('LOADING', 'PUBLISHING'));
  parent text;
  child text;
begin
  if kind_of_set is null then
    return;
  end if;
  foreach parent in array tables_of_record_set(kind_of_set) loop
    child := parent || '_s' || id_of_set;
    if to_regclass(quote_ident(child)) is null then
      execute format(
        'create table %I (like %I including defaults including generated including constraints including storage,
           constraint %I check (set_id = %s))', child, parent, child || '_set', id_of_set);
      if parent <> 'driver_search' then
        execute format('alter table %I add primary key (set_id, %I)', child,
          case parent when 'vehicle_record' then 'registration_number' else 'driving_licence_number' end);
      end if;
    end if;
    if not has_table_privilege(session_user, child, 'insert') then
      execute format('grant select, insert on %I to %I', child, session_user);
      -- before PostgreSQL 17 only owners may vacuum a table: there it waits for autovacuum
      if current_setting('server_version_num')::integer >= 170000 then
        execute format('grant maintain on %I to %I', child, session_user);
      end if;
    end if;
  end loop;
end $$;
revoke execute on function prepare_record_set(bigint) from public;

-- Attaches one table of a set that is being published. Attaching builds the missing indexes.
create function attach_record_table(parent text, id_of_set bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from record_set where id = id_of_set and state = 'PUBLISHING'
      and parent = any (tables_of_record_set(kind))) then
    raise exception 'record set % is not publishing a table %', id_of_set, parent;
  end if;
  execute format('alter table %I attach partition %I for values in (%s)', parent, parent || '_s' || id_of_set, id_of_set);
end $$;
revoke execute on function attach_record_table(text, bigint) from public;

-- Drops the tables of a set that no enquiry uses any more.
create function drop_record_set(id_of_set bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tables text[] := (
    select tables_of_record_set(kind) from record_set where id = id_of_set and state in ('RETIRED', 'ABANDONED'));
begin
  if tables is null then
    raise exception 'record set % is neither retired nor abandoned', id_of_set;
  end if;
  for place in reverse cardinality(tables)..1 loop
    execute format('drop table if exists %I', tables[place] || '_s' || id_of_set);
  end loop;
end $$;
revoke execute on function drop_record_set(bigint) from public;
