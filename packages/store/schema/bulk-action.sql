-- Bulk actions: print jobs that are named or that match filters, and what is done with them once somebody has confirmed
-- the exact plan.

-- The plan, who confirmed it, and how it ended.
-- Written by administration and pipeline. Read by administration, ops-console and pipeline. A row is deleted
-- `DESPATCH_HISTORY_DAYS` after it ended; the audit log keeps who planned and confirmed it.
create table bulk_action (
  id uuid primary key,
  -- the order in which they were planned
  position bigint generated always as identity unique,
  action text not null check (action in ('hold', 'release', 'cancel', 'redrive')),
  reason text not null check (reason <> ''),
  -- a plan that nobody confirmed in time stays PLANNED
  state text not null default 'PLANNED' check (state in ('PLANNED', 'RUNNING', 'STOPPED', 'ENDED')),
  -- SHA-256 of the action and the keys in their order; the person who confirms names it
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  print_job_count integer not null check (print_job_count between 1 and 10000),
  -- the filters, without the text that was searched for, which may be personal; null: the print jobs were named
  matching jsonb,
  -- keyed hash of all filters: shows whether a request is repeated
  matching_hash bytea,
  needs_second_person boolean not null,
  planned_by uuid not null references consumer (id),
  planned_at timestamptz not null,
  confirmed_by uuid references consumer (id),
  confirmed_at timestamptz,
  stopped_by uuid references consumer (id),
  stopped_at timestamptz,
  ended_at timestamptz,
  -- outcomes, once it has ended
  done_count integer,
  refused_count integer,
  absent_count integer,
  not_begun_count integer,
  check ((confirmed_at is null) = (confirmed_by is null)),
  check ((stopped_at is null) = (stopped_by is null)),
  check ((state = 'STOPPED') = (stopped_at is not null)),
  check ((state in ('STOPPED', 'ENDED')) = (ended_at is not null)),
  check (state not in ('RUNNING', 'ENDED') or confirmed_at is not null),
  check (not needs_second_person or confirmed_by is distinct from planned_by)
);
create index bulk_action_running on bulk_action (confirmed_at) where state = 'RUNNING';

-- The print jobs of a bulk action. A process locks the row of one until its transaction ends: no two do it twice, and
-- another process begins again what one began that ended.
-- Written and read by administration and pipeline. A row is deleted with its bulk action.
create table bulk_action_item (
  bulk_action_id uuid not null references bulk_action (id),
  position integer not null check (position > 0),
  -- of no print job, where there is none of that key
  print_job_key uuid not null,
  print_job_id text,
  outcome text check (outcome in ('done', 'refused', 'absent', 'not-begun')),
  why_not text,
  at timestamptz,
  -- failures of ours: it is tried again at that time
  failures integer not null default 0,
  failure text,
  retry_at timestamptz,
  primary key (bulk_action_id, position),
  unique (bulk_action_id, print_job_key),
  check ((outcome is null) = (at is null)),
  check ((outcome = 'refused') = (why_not is not null))
) with (fillfactor = 70);
create index bulk_action_item_left on bulk_action_item (bulk_action_id, position) where outcome is null;
