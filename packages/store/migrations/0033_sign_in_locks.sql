-- Wrong attempts are also counted by user name and source together, so that a stranger elsewhere locks nobody out. The
-- previous release writes only the other kinds. Not validated, because every row satisfies the narrower constraint.
alter table sign_in_failure
  drop constraint sign_in_failure_kind_check,
  add constraint sign_in_failure_kind_check check (kind in ('pair', 'user', 'source')) not valid;

-- User names that signed in from a source, as a keyed hash of both. Locks that others can cause spare them. A row is
-- updated at most once a day, and deleted when it is too old to matter.
create table known_sign_in (
  pair_hash bytea primary key,
  last_at timestamptz not null default now()
);
create index known_sign_in_old on known_sign_in (last_at);
