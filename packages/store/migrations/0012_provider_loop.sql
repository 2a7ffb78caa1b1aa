-- The provider loop: where documents are printed and when, what became of each of them, and what remains to be accounted for.

-- A provider is seen whenever it asks for work. One that may not stay away for long has a limit, after which its unclaimed work goes elsewhere.
alter table provider
  add column exchange text not null default 'http' check (exchange in ('http', 'file-drop')),
  add column last_seen_at timestamptz,
  add column away_seconds_max integer check (away_seconds_max > 0);

-- Where documents are printed. `capabilities` are told by the provider, the rest by operators.
create table print_site (
  provider_id text not null references provider (id),
  print_location text not null check (print_location <> '' and length(print_location) <= 100),
  enabled boolean not null default true,
  -- its part of the documents that several sites could print, against the shares of the others
  share integer not null default 100 check (share between 0 and 1000),
  capabilities jsonb not null,
  -- reprints that need no second person: so many of a print run, or this part of it, whichever is more
  reprints_free_max integer not null default 10 check (reprints_free_max >= 0),
  reprints_free_percent double precision not null default 1 check (reprints_free_percent between 0 and 100),
  -- what routing has given it: the standing of its share, and today's documents against its capacity
  routing_credit double precision not null default 0,
  routed_on date,
  routed_documents integer not null default 0,
  created_at timestamptz not null default now(),
  primary key (provider_id, print_location)
);

-- Until now the first location of the first provider printed everything: the others wait for an operator.
insert into print_site (provider_id, print_location, enabled, capabilities)
select provider.id, location.name,
  location.place = 1 and provider.id = (select id from provider order by created_at, id limit 1),
  '{"stationery":["A4-PLAIN"],"formats":["LETTER","LARGE_LETTER"],"plexes":["simplex","duplex"],"colour":true,"despatchMethods":["SECOND","FIRST","INTERNAL","ECONOMY","INTERNATIONAL_EU","INTERNATIONAL_ROW","SPECIAL"],"sheetsMax":10000,"maintenance":[]}'
from provider, unnest(provider.print_locations) with ordinality as location (name, place);
alter table provider drop column print_locations;

alter table contract
  add column stationery text not null default 'A4-PLAIN' check (stationery <> ''),
  -- whether the provider is given the custom parameters, for a template that it fills
  add column template_data boolean not null default false,
  -- whether the consumer is told of a letter that came back
  add column callback_returns boolean not null default false;

-- No site can take the document at present: it is looked at again then.
alter table print_job add column route_after timestamptz;

alter table print_run
  -- a run from before may hold both formats
  add column format text not null default 'LETTER' check (format in ('LETTER', 'LARGE_LETTER')),
  -- 1, and one more each time an operator moves a claimed run
  add column print_epoch integer not null default 1 check (print_epoch > 0),
  -- while it is OPEN: when it is going to be released
  add column cut_off_at timestamptz,
  add column expected_despatch_on date,
  add column release_asked_at timestamptz,
  add column release_asked_by text,
  -- why the provider will not print any of it
  add column refusal text,
  add column voided_at timestamptz,
  add column void_reason text,
  add column moved_from text references print_run (batch_number),
  add column closed_by text,
  -- its fulfilment jobs that have template data: frozen by the claim, as the rest of the manifest
  add column template_jobs text[] not null default '{}',
  drop constraint print_run_state_check,
  add constraint print_run_state_check check (state in ('OPEN', 'RELEASED', 'CLAIMED', 'ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED', 'IN_PRODUCTION', 'POSTED', 'RECONCILED', 'CLOSED', 'VOIDED')),
  add constraint print_run_voided check ((state = 'VOIDED') = (voided_at is not null));
drop index print_run_one_open;
create unique index print_run_one_open on print_run (provider_id, print_location, despatch_method, stationery, plex, colour, format) where state = 'OPEN';
create index print_run_moved_from on print_run (moved_from) where moved_from is not null;
-- Providers see the oldest deadline first.
drop index print_run_listed;
create index print_run_listed on print_run (provider_id, coalesce(expected_despatch_on, 'infinity'::date), released_at, batch_number) where state <> 'OPEN';
drop index print_run_to_claim;
create index print_run_to_claim on print_run (provider_id, coalesce(expected_despatch_on, 'infinity'::date), released_at, batch_number) where state in ('RELEASED', 'CLAIMED');
create index print_run_at_work on print_run (provider_id) where state not in ('CLOSED', 'VOIDED');

alter table print_run_document
  -- the attempt that its manifest tells; "attempt" is the one that counts now
  add column first_attempt integer not null default 1,
  -- how far the current attempt has come, by the provider's events
  add column progress text check (progress in ('FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED')),
  -- its run was moved: the document goes on in another, under a higher attempt
  add column voided_at timestamptz,
  add column mailmark_item_id text,
  drop constraint print_run_document_document_id_key,
  drop constraint print_run_document_outcome_check,
  add constraint print_run_document_outcome_check check (outcome in ('REFUSED', 'DESPATCHED', 'FAILED', 'RECALLED'));
-- A letter is in one run at a time: this is what keeps it from being printed twice.
drop index print_run_document_one_live;
create unique index print_run_document_one_live on print_run_document (print_job_key) where removed_at is null and voided_at is null;
create unique index print_run_document_one_number on print_run_document (document_id) where removed_at is null and voided_at is null;
create index print_run_document_id on print_run_document (document_id);
-- Progress and outcome are in no index: with room on its page a document changes them without touching any, which takes a third of the time.
alter table print_run_document set (fillfactor = 60);
create index print_run_document_mailmark on print_run_document (mailmark_item_id) where mailmark_item_id is not null;

-- What providers report of single documents. One that was refused is not kept, so that it may be reported again later.
create table print_run_event (
  provider_id text not null references provider (id),
  event_id text not null,
  event_hash bytea not null,
  batch_number text not null,
  document_id text not null,
  attempt integer not null,
  type text not null check (type in ('FETCHED', 'PRINTED', 'ENCLOSED', 'DIVERTED', 'SPOILED', 'FAILED')),
  -- APPLIED moved the document; RECORDED came too late to move it
  result text not null check (result in ('APPLIED', 'RECORDED')),
  -- by the provider's clock, which decides nothing
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  serial_number text,
  reason_code text,
  reason text,
  despatch_properties jsonb,
  primary key (provider_id, event_id),
  foreign key (batch_number, document_id) references print_run_document (batch_number, document_id)
);
-- Each type once for an attempt, but DIVERTED as often as it happens.
create unique index print_run_event_once on print_run_event (batch_number, document_id, attempt, type, (case when type = 'DIVERTED' then event_id else '' end));

-- A further attempt at a document whose last one was spoiled.
create table reprint (
  id bigint generated always as identity primary key,
  batch_number text not null,
  document_id text not null,
  attempt integer not null check (attempt > 1),
  state text not null check (state in ('WAITING', 'AUTHORISED', 'REFUSED')),
  reason_code text not null,
  reason text,
  requested_by uuid not null references consumer (id),
  requested_at timestamptz not null default now(),
  decided_by text,
  decided_at timestamptz,
  decision_reason text,
  unique (batch_number, document_id, attempt),
  foreign key (batch_number, document_id) references print_run_document (batch_number, document_id),
  check ((state = 'WAITING') = (decided_at is null))
);
create index reprint_waiting on reprint (requested_at) where state = 'WAITING';

-- A posting covers documents of one run or of several.
create table posting_run (
  posting_id uuid not null references posting (id),
  batch_number text not null references print_run (batch_number),
  document_count integer not null check (document_count >= 0),
  sheet_count integer not null,
  primary key (posting_id, batch_number)
);
insert into posting_run (posting_id, batch_number, document_count, sheet_count)
select id, batch_number, document_count, sheet_count from posting;
create index posting_run_batch_number on posting_run (batch_number);
alter table posting
  drop column batch_number,
  drop constraint posting_document_count_check,
  add constraint posting_document_count_check check (document_count >= 0);

create table posting_evidence (
  id uuid primary key,
  posting_id uuid not null references posting (id),
  file_name text not null,
  media_type text not null,
  created_at timestamptz not null default now()
);
create index posting_evidence_posting_id on posting_evidence (posting_id);

-- An operator wants documents back after their run was claimed; the provider says which it could still stop.
create table recall_request (
  id uuid primary key,
  batch_number text not null references print_run (batch_number),
  provider_id text not null references provider (id),
  state text not null default 'OPEN' check (state in ('OPEN', 'ACCEPTED', 'PARTLY_ACCEPTED', 'REJECTED')),
  reason text not null,
  requested_by text not null,
  requested_at timestamptz not null default now(),
  answered_at timestamptz,
  answer_reason text,
  answer_hash bytea,
  check ((state = 'OPEN') = (answered_at is null))
);
create index recall_request_listed on recall_request (provider_id, requested_at, id);
create table recall_document (
  recall_id uuid not null references recall_request (id),
  document_id text not null,
  state text not null default 'ASKED' check (state in ('ASKED', 'RECALLED', 'TOO_LATE')),
  primary key (recall_id, document_id)
);

-- Letters that came back. The print job stays DESPATCHED.
create table returned_letter (
  provider_id text not null references provider (id),
  return_id text not null,
  return_hash bytea not null,
  print_job_key uuid not null unique references print_job (key),
  batch_number text not null,
  document_id text not null,
  reason_code text not null check (reason_code ~ '^R(0[1-9]|10)$'),
  disposition text not null check (disposition in ('DESTROYED', 'FORWARDED')),
  scanned_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (provider_id, return_id)
);

-- Numbered stock: every number that was issued is in stock, used or spoiled.
create table serial_number (
  job_type text not null,
  serial_number text not null,
  provider_id text not null references provider (id),
  state text not null check (state in ('IN_STOCK', 'USED', 'SPOILED')),
  batch_number text,
  document_id text,
  attempt integer,
  reason text,
  -- 'stock' was issued by an operator before its use; 'report' became known when a provider named it
  issued_as text not null check (issued_as in ('stock', 'report')),
  issued_by text not null,
  issued_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (job_type, serial_number),
  check (state <> 'USED' or document_id is not null)
);
-- Says whether the stock of a job type is issued before its use.
create index serial_number_stock on serial_number (job_type) where issued_as = 'stock';
create index serial_number_account on serial_number (provider_id, job_type, state);
create index serial_number_document on serial_number (batch_number, document_id) where document_id is not null;

-- A callback tells a status, or that a letter came back.
alter table callback add column kind text not null default 'status' check (kind in ('status', 'return'));
