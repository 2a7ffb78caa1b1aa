-- The contents of the queues, as they were last seen: other contents mean that wake-ups may be lost.
create table queue_incarnation (
  only_row boolean primary key default true check (only_row),
  incarnation text not null,
  noted_at timestamptz not null default now()
);
