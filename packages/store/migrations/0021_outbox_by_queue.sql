-- The relay takes the due wake-ups of each queue, so that those of a queue that takes nothing, or that this release does not
-- know, hold up no other. This index serves it; the one by time alone has no other use.
create index outbox_due_of_queue on outbox (queue, due_at, id);
drop index outbox_due;
