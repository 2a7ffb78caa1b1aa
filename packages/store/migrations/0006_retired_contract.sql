-- A contract that print jobs were made under is kept for them, and can no longer be used for another.
alter table contract add column retired_at timestamptz;
