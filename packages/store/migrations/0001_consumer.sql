-- Who may call: consumers with their credentials and contracts, print providers, and the keys that sign tokens.
create table provider (
  id text primary key check (id ~ '^[a-z0-9-]{1,64}$'),
  name text not null,
  print_locations text[] not null check (cardinality(print_locations) > 0),
  created_at timestamptz not null default now()
);

create table consumer (
  id uuid primary key,
  name text not null,
  user_name text not null unique,
  password_hash text not null,
  password_expires_on date not null,
  api_key_prefix text not null,
  api_key_hash bytea not null unique,
  api_key_expires_on date not null,
  roles text[] not null check (roles <@ array['consumer', 'provider', 'operator', 'admin'] and cardinality(roles) > 0),
  provider_id text references provider (id),
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  check (provider_id is not null or not 'provider' = any (roles))
);

-- Which jobType and templateReference a consumer may use, and how such a print job is produced.
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
  callback_statuses text[] not null default array['DESPATCHED', 'REJECTED'],
  created_at timestamptz not null default now(),
  unique (consumer_id, job_type, template_reference)
);

-- The private half is sealed with the deployment's secret key before it gets here.
create table signing_key (
  kid text primary key,
  public_jwk jsonb not null,
  private_key_sealed bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
create unique index signing_key_one_active on signing_key ((true)) where retired_at is null;
