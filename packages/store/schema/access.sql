-- Who may call: consumers with their credentials, contracts and usage plans, and the keys that sign tokens.

-- Systems and people that may call, with their credentials.
-- Written by administration and thirdparty-access. Read by administration, driver-find, fulfilment,
-- full-driver-enquiry, ops-console, print-request, thirdparty-access and vehicle-enquiry. A row stays: a consumer is
-- disabled, never deleted.
create table consumer (
  id uuid primary key,
  name text not null,
  user_name text not null unique,
  -- where recovery codes and warnings of expiry go
  email text,
  roles text[] not null constraint consumer_roles_check check (
    roles <@ array['consumer', 'provider', 'operator', 'address-editor', 'admin'] and cardinality(roles) > 0),
  -- the provider on whose behalf it calls; provider.sql adds the reference
  provider_id text,
  -- the services that it may use
  services text[] not null default array['print-request'],
  usage_plan text not null default 'standard',
  -- the networks (CIDR) from which it may call and sign in; none: from everywhere
  networks text[] not null default '{}' check (cardinality(networks) <= 50),
  password_hash text not null,
  password_expires_on date not null,
  password_changed_at timestamptz not null default now(),
  api_key_prefix text not null,
  api_key_hash bytea not null unique,
  api_key_expires_on date not null,
  api_key_changed_at timestamptz not null default now(),
  -- a change of API key that is in progress: while it is named, no process keeps the consumer in its cache
  api_key_change_id uuid,
  api_key_change_began_at timestamptz,
  -- Rises when the tokens that the consumer has are to be refused: when its password is recovered or reset, an operator
  -- replaces its API key, or it is disabled.
  token_generation integer not null default 0,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  check (provider_id is not null or not 'provider' = any (roles)),
  check ((api_key_change_id is null) = (api_key_change_began_at is null))
);

-- A session of the console ends when the password changes. Checking that requires no password hash.
create view consumer_password as
  select id as consumer_id, sha256(convert_to(password_hash, 'UTF8')) as fingerprint from consumer;

-- Which jobType and templateReference a consumer may use, and how such a print job is produced.
-- Written by administration. Read by administration, fulfilment, ops-console, pipeline and print-request. A row stays
-- for the print jobs that were made under it; when retired, it can no longer be used.
create table contract (
  id uuid primary key,
  consumer_id uuid not null references consumer (id),
  job_type text not null,
  template_reference text not null,
  production text not null check (production in ('letter', 'as-supplied')),
  supplied_file_key text check ((production = 'as-supplied') = (supplied_file_key is not null)),
  prints_handling_instruction boolean not null default true,
  plex text not null default 'duplex' check (plex in ('simplex', 'duplex')),
  colour boolean not null default true,
  pages_max integer not null default 100 check (pages_max > 0),
  stationery text not null default 'A4-PLAIN' check (stationery <> ''),
  address_placement text not null default 'own-page' check (address_placement in ('own-page', 'first-page')),
  marks boolean not null default true,
  -- whether the provider is given the custom parameters, for a template that it fills
  template_data boolean not null default false,
  -- the code knows the rule sets: a process that lacks the one named here fails instead of using another
  rule_set text not null default 'standard-2026-11' check (rule_set <> ''),
  -- which findings refuse a letter that would otherwise only carry them: those of the named rules or, if strict, all
  strict boolean not null default false,
  refused_rules text[] not null default '{}',
  -- what happens to a submission that need not be accepted: it is reported, refused, or refused from a day on
  unknown_members text not null default 'report' check (unknown_members ~ '^(report|refuse|\d{4}-\d{2}-\d{2})$'),
  unreadable_files text not null default 'report' check (unreadable_files ~ '^(report|refuse|\d{4}-\d{2}-\d{2})$'),
  letters_without_file text not null default 'report'
    check (letters_without_file ~ '^(report|refuse|\d{4}-\d{2}-\d{2})$'),
  callback_statuses text[] not null default array['DESPATCHED', 'REJECTED'],
  -- whether the consumer gets a callback for a letter that came back
  callback_returns boolean not null default false,
  -- strict: the callbacks of all its print jobs go one at a time, each after the one before has ended
  callback_order text not null default 'print-job' check (callback_order in ('print-job', 'strict')),
  -- how many of its callbacks an origin gets at once
  callback_concurrency integer not null default 8 check (callback_concurrency between 1 and 1000),
  -- its print jobs wait until somebody has released them
  hold_for_approval boolean not null default false,
  -- how long personal data are kept after the end; null: as the deployment says
  retention_days integer check (retention_days between 1 and 36500),
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  unique (consumer_id, job_type, template_reference)
);

-- Keys that sign tokens. The private half is sealed with a key of the deployment before it gets here.
-- Written by administration and thirdparty-access. Read by administration, driver-find, fulfilment,
-- full-driver-enquiry, print-request and thirdparty-access. A row stays: tokens that it signed are checked until they
-- expire.
create table signing_key (
  kid text primary key,
  public_jwk jsonb not null,
  private_key_sealed bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
create unique index signing_key_one_active on signing_key ((true)) where retired_at is null;

-- The key of the hashes of search terms, created by the first process that needs it and sealed with a key of the
-- deployment.
-- Written and read by administration and print-request. The row stays.
create table search_key (
  id integer primary key check (id = 1),
  key_sealed bytea not null
);

-- How much a consumer may ask of a service: a plan has a row for each service that it limits.
-- Written by administration. Read by administration, driver-find, fulfilment, full-driver-enquiry, print-request,
-- thirdparty-access and vehicle-enquiry. A row stays until somebody changes it.
create table usage_plan (
  name text not null check (name ~ '^[a-z0-9-]{1,64}$'),
  service text not null,
  requests_per_second integer not null check (requests_per_second > 0),
  burst integer not null check (burst >= 0),
  requests_per_day integer check (requests_per_day > 0),
  -- how many bytes of request bodies a consumer may send in a day (UTC); null: no limit
  bytes_per_day bigint check (bytes_per_day > 0),
  primary key (name, service)
);
insert into usage_plan (name, service, requests_per_second, burst, requests_per_day) values
  ('standard', 'print-request', 100, 200, null),
  ('standard', 'vehicle-enquiry', 10, 20, null),
  ('standard', 'full-driver-enquiry', 10, 20, null),
  ('standard', 'driver-find', 10, 20, null);

-- How many requests each consumer, source address and service had in a window of time, counted by all processes
-- together. The library that counts names the columns. Unlogged: a limit may count from zero after a crash, and no
-- count waits for the disk.
-- Written and read by administration, driver-find, fulfilment, full-driver-enquiry, pipeline, print-request,
-- thirdparty-access and vehicle-enquiry. A row is deleted some time after its window has ended.
create unlogged table usage_count (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- The requests of a consumer to a service in the last day (UTC) on which it sent any, whether or not its plan limits a
-- day.
-- Written by driver-find, full-driver-enquiry, print-request and vehicle-enquiry. Read by administration,
-- driver-find, full-driver-enquiry, print-request and vehicle-enquiry. A row stays: there is one for each consumer
-- and service.
create table usage_of_day (
  consumer_id uuid not null references consumer (id),
  service text not null,
  day integer not null,
  requests bigint not null,
  refused bigint not null,
  peak_per_second integer not null,
  primary key (consumer_id, service)
);

-- Wrong attempts to sign in, by user name, by source address and by both together, so that a stranger elsewhere locks
-- nobody out. They are kept as keyed hashes. How long a row locks follows from its count and age.
-- Written and read by administration and thirdparty-access. A success deletes the row of the user; others are deleted
-- after a day.
create table sign_in_failure (
  kind text not null check (kind in ('pair', 'user', 'source')),
  subject_hash bytea not null,
  failures integer not null check (failures > 0),
  last_failed_at timestamptz not null default now(),
  primary key (kind, subject_hash)
);
create index sign_in_failure_old on sign_in_failure (last_failed_at);

-- User names that signed in from a source, as a keyed hash of both. Locks that others can cause spare them.
-- Written and read by administration and thirdparty-access. A row is updated at most once a day, and deleted 30 days
-- after that.
create table known_sign_in (
  pair_hash bytea primary key,
  last_at timestamptz not null default now()
);
create index known_sign_in_old on known_sign_in (last_at);

-- A code that lets a user set a new password: the newest one of each consumer, as a keyed hash.
-- Written and read by thirdparty-access. The row stays when it has been used, because issued_at has the times of the
-- codes of the last hour.
create table recovery_code (
  consumer_id uuid primary key references consumer (id),
  code_hash bytea not null,
  expires_at timestamptz not null,
  tries_left integer not null check (tries_left >= 0),
  used_at timestamptz,
  issued_at timestamptz[] not null
);

-- Sessions of the console that somebody has signed out of, by the SHA-256 of their ids: a copy of the cookie is
-- refused.
-- Written by administration. Read by administration and ops-console. A row is deleted after its session would have
-- ended anyway, when another one is added.
create table ended_session (
  session_hash bytea primary key check (octet_length(session_hash) = 32),
  ends_at timestamptz not null
);

-- Warnings of credentials that are about to expire: each threshold once for each day of expiry.
-- Written by thirdparty-access. A row stays: there are some for each change of a credential.
create table credential_warning (
  consumer_id uuid not null references consumer (id),
  credential text not null check (credential in ('password', 'api-key')),
  expires_on date not null,
  days integer not null,
  primary key (consumer_id, credential, expires_on, days)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

-- Who changed what: every change to a consumer, its credentials, contracts and plans, and every act of an operator.
-- Written by administration, fulfilment, print-request and thirdparty-access. Read by administration. A row stays for
-- ever: a trigger refuses every change.
create table audit_event (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  consumer_id uuid references consumer (id),
  detail jsonb not null default '{}'
);
create trigger audit_event_append_only before update or delete or truncate on audit_event
  for each statement execute function refuse_change();

-- The ids of what an audit event is about, so that operators find every event about one letter, run, callback or other
-- thing. The consumer of an event has its own column.
create function audit_subjects(detail jsonb) returns text[]
language sql immutable strict parallel safe
return array_remove(array[
  detail ->> 'printJobKey', detail ->> 'printJobId', detail ->> 'jobId', detail ->> 'documentId',
  detail ->> 'batchNumber', detail ->> 'movedFrom', detail ->> 'postingId', detail ->> 'reprintId',
  detail ->> 'recallId', detail ->> 'bulkActionId', detail ->> 'callbackId', detail ->> 'origin',
  detail ->> 'providerId', detail ->> 'printLocation', detail ->> 'queue', detail ->> 'recordSetId',
  detail ->> 'contractId', detail ->> 'usagePlan', detail ->> 'secretId', detail ->> 'kid', detail ->> 'retiredKid',
  detail ->> 'subject'
], null);
create index audit_event_subjects on audit_event using gin (audit_subjects(detail));
create index audit_event_consumer on audit_event (consumer_id, id);
create index audit_event_actor on audit_event (actor, id);
create index audit_event_action on audit_event (action, id);
