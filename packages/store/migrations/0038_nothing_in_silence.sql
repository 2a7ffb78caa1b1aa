-- A contract chooses which findings refuse a letter that would otherwise only carry them: those of the rules that it
-- names, or, if it is strict, all of them. Unknown members count as a finding.
alter table contract
  add column if not exists strict boolean not null default false,
  add column if not exists refused_rules text[] not null default '{}';
-- The paths of the members of its request that no part of the system knows. Null: none. Deleted by its purge.
alter table print_job add column if not exists unknown_members text[];
