-- A contract says what happens to a submission that it need not accept: it is reported, or refused, or refused from a day
-- on. The contracts that exist keep accepting what they accept. Strict ones refused unknown members, and still do.
alter table contract
  add column if not exists unknown_members text not null default 'report'
    check (unknown_members ~ '^(report|refuse|\d{4}-\d{2}-\d{2})$'),
  add column if not exists unreadable_files text not null default 'report'
    check (unreadable_files ~ '^(report|refuse|\d{4}-\d{2}-\d{2})$'),
  add column if not exists letters_without_file text not null default 'report'
    check (letters_without_file ~ '^(report|refuse|\d{4}-\d{2}-\d{2})$');
update contract set unknown_members = 'refuse' where strict;
