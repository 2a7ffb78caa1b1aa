-- How far the walk over the bucket has come that finds files and documents that no row names. Processes share the walk:
-- each takes a page of a part of the bucket at a time, and a restart continues where the last page ended.
create table orphan_walk (
  -- the keys of the part begin with it
  prefix text primary key,
  -- the last key that was examined; null: the walk of this part begins
  after text,
  -- when the walk of this part last began
  started_at timestamptz,
  is_complete boolean not null default true,
  -- until then, a process examines a page of this part
  lease_until timestamptz
);
insert into orphan_walk (prefix)
select place || '/' || to_hex(digit) from unnest('{files,documents}'::text[]) place, generate_series(0, 15) digit;
