-- Records of vehicles and drivers, and how names are compared: by sound, by likeness and without accents.
create extension if not exists fuzzystrmatch;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

-- A whole set of records of one kind. A set is loaded beside the current one and takes its place in one UPDATE, so that
-- an enquiry reads the old set or the new one and never a part of each. The set before is kept until the next takes over.
create table record_set (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('driver', 'vehicle', 'uat-driver')),
  -- replace: the rows that are loaded are all there are; update: they are put over the current set
  mode text not null check (mode in ('replace', 'update')),
  state text not null check (state in ('LOADING', 'PUBLISHING', 'CURRENT', 'RETIRED', 'DROPPED', 'ABANDONED')),
  -- tells whether a source that is read again is the one whose reading broke off
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
create table record_set_reject (
  set_id bigint not null references record_set (id),
  row_number bigint not null check (row_number > 0),
  reasons text[] not null,
  primary key (set_id, row_number)
);

-- One partition for each set: a set is loaded into a table of its own, attached, and dropped whole.
create table vehicle_record (
  set_id bigint not null,
  registration_number text not null,
  -- the answer to an enquiry
  record json not null,
  primary key (set_id, registration_number)
) partition by list (set_id);

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
