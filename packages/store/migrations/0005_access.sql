-- Consumers as operators manage them: which services they may use, how much, how they get back in, and who changed what.
alter table consumer
  add column email text,
  add column services text[] not null default array['print-request'],
  add column usage_plan text not null default 'standard',
  add column password_changed_at timestamptz not null default now(),
  add column api_key_changed_at timestamptz not null default now(),
  -- a change of API key that is under way: while it is named, no process keeps the consumer in its cache
  add column api_key_change_id uuid,
  add column api_key_change_began_at timestamptz,
  add check ((api_key_change_id is null) = (api_key_change_began_at is null));

-- How much a consumer may ask of a service: a plan has a row for each service that it limits.
create table usage_plan (
  name text not null check (name ~ '^[a-z0-9-]{1,64}$'),
  service text not null,
  requests_per_second integer not null check (requests_per_second > 0),
  burst integer not null check (burst >= 0),
  requests_per_day integer check (requests_per_day > 0),
  primary key (name, service)
);
insert into usage_plan (name, service, requests_per_second, burst, requests_per_day) values
  ('standard', 'print-request', 100, 200, null),
  ('standard', 'vehicle-enquiry', 10, 20, null),
  ('standard', 'full-driver-enquiry', 10, 20, null),
  ('standard', 'driver-find', 10, 20, null);

-- Wrong attempts to sign in, by user name and by source address, kept as keyed hashes. How long a row locks follows from
-- its count and age. A success clears the user's row; old rows are deleted.
create table sign_in_failure (
  kind text not null check (kind in ('user', 'source')),
  subject_hash bytea not null,
  failures integer not null check (failures > 0),
  last_failed_at timestamptz not null default now(),
  primary key (kind, subject_hash)
);
create index sign_in_failure_old on sign_in_failure (last_failed_at);

-- A code that lets a user set a new password: the newest one of each consumer, as a keyed hash. The row stays when it has
-- been used, since issued_at holds when the codes of the last hour were made.
create table recovery_code (
  consumer_id uuid primary key references consumer (id),
  code_hash bytea not null,
  expires_at timestamptz not null,
  tries_left integer not null check (tries_left >= 0),
  used_at timestamptz,
  issued_at timestamptz[] not null
);

-- What has been told of credentials that are about to expire: each threshold once for each day of expiry.
create table credential_warning (
  consumer_id uuid not null references consumer (id),
  credential text not null check (credential in ('password', 'api-key')),
  expires_on date not null,
  days integer not null,
  told_at timestamptz not null default now(),
  primary key (consumer_id, credential, expires_on, days)
);

-- Every change to a consumer, its credentials, contracts and plans. Rows are only ever added.
create table audit_event (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  consumer_id uuid references consumer (id),
  detail jsonb not null default '{}'
);
create index audit_event_consumer on audit_event (consumer_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger audit_event_append_only before update or delete or truncate on audit_event
  for each statement execute function refuse_change();
