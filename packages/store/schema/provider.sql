-- Print providers, and the sites at which they print.

-- Companies that print and post letters, each with a consumer that calls on its behalf.
-- Written by administration and fulfilment. Read by administration, fulfilment, ops-console and pipeline. A row stays
-- until somebody changes it.
create table provider (
  id text primary key check (id ~ '^[a-z0-9-]{1,64}$'),
  name text not null,
  -- how it receives its work: it polls over HTTP, or files are put into its folders
  exchange text not null default 'http' check (exchange in ('http', 'file-drop')),
  -- when it last asked for work
  last_seen_at timestamptz,
  -- after this time without asking for work, its unclaimed work goes elsewhere; null: no limit
  away_seconds_max integer check (away_seconds_max > 0),
  created_at timestamptz not null default now()
);
alter table consumer add foreign key (provider_id) references provider (id);

-- Where documents are printed. The provider reports `capabilities`; operators set the rest.
-- Written by administration, fulfilment and pipeline. Read by administration, fulfilment, ops-console and pipeline. A
-- row stays until somebody changes it.
create table print_site (
  provider_id text not null references provider (id),
  print_location text not null check (print_location <> '' and length(print_location) <= 100),
  enabled boolean not null default true,
  -- its part of the documents that several sites could print, relative to the shares of the others
  share integer not null default 100 check (share between 0 and 1000),
  capabilities jsonb not null,
  -- reprints that need no second person: this number of a print run, or this part of it, whichever is more
  reprints_free_max integer not null default 10 check (reprints_free_max >= 0),
  reprints_free_percent double precision not null default 1 check (reprints_free_percent between 0 and 100),
  -- the standing of its share: what routing owes it
  routing_credit double precision not null default 0,
  created_at timestamptz not null default now(),
  primary key (provider_id, print_location)
);
