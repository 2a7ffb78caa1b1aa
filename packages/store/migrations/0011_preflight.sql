-- What preflight finds in a letter, the terms by which it looks, and the number that a letter is printed with.
alter table print_job_event
  -- what was found, in the order in which it is told: rules, places and sentences, never content
  add column findings jsonb;

alter table contract
  -- the code knows the rule sets: a process that lacks the one named here fails instead of judging by another
  add column rule_set text not null default 'standard-2026-11' check (rule_set <> ''),
  add column address_placement text not null default 'own-page' check (address_placement in ('own-page', 'first-page')),
  add column marks boolean not null default true;

-- Drawn from the sequence document_number when validation first takes the print job, since the letter's marks carry it;
-- 'D' and the number is its document's id in the print run. The number of a letter that is then refused is not used again.
-- A letter that was accepted before this column has none, and gets its number when it is gathered.
alter table print_job add column document_number bigint;
