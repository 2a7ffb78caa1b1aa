-- Outages of what a service depends on, for operators.

-- One row for each outage that a service has seen.
-- Written by pipeline. Read by ops-console and pipeline. A row is deleted 90 days after its outage ended.
create table dependency_outage (
  service text not null,
  dependency text not null,
  since timestamptz not null,
  -- when the service last found the dependency away
  seen_at timestamptz not null default now(),
  -- a class or code of fault, never a message
  reason text not null,
  ended_at timestamptz,
  primary key (service, dependency, since)
);
create index dependency_outage_open on dependency_outage (seen_at) where ended_at is null;
