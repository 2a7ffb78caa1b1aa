-- The networks (CIDR) from which a consumer may call and sign in. Without any, it may from everywhere.
alter table consumer
  add column if not exists networks text[] not null default '{}' check (cardinality(networks) <= 50);
