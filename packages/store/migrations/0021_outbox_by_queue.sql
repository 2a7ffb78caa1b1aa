-- concurrently
-- The relay takes the due wake-ups of each queue, so that those of a queue that takes nothing, or that this release does not
-- know, hold up no other. The index by queue serves it; the one by time alone has no other use.
create index concurrently outbox_due_of_queue on outbox (queue, due_at, id);
drop index concurrently if exists outbox_due;
-- Wake-ups that wait for a dependency are found by its name.
create index concurrently outbox_waiting on outbox (waits_for, id) where waits_for is not null;
