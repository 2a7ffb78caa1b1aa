-- Letters are typeset from templates: their versions, which contracts name and print jobs keep.

-- The versions of templates. A version never changes.
-- Written by administration. Read by administration, ops-console, pipeline and print-request. A row stays for the print
-- jobs that were made from it.
create table template_version (
  template text not null check (template ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  version integer not null check (version > 0),
  -- the SHA-256 of everything that decides how its letters look: its files, and the compiler and typefaces of the release
  -- that published it
  template_id bytea not null,
  title text not null,
  languages text[] not null check (cardinality(languages) > 0),
  published_by text not null,
  published_at timestamptz not null default now(),
  primary key (template, version)
);

-- Written by administration. Read by administration, pipeline and print-request. A row stays.
create table template_file (
  template text not null,
  version integer not null,
  path text not null,
  bytes bytea not null,
  primary key (template, version, path),
  foreign key (template, version) references template_version (template, version)
);

-- The version, such as renewal@3, and its languages in the order in which they are printed. Null: no template.
alter table contract
  add column template text,
  add column template_languages text[],
  add constraint contract_template check ((template is null) = (template_languages is null)) not valid;

-- Those of its contract when it was accepted.
alter table print_job
  add column template text,
  add column template_languages text[];
