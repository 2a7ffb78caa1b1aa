-- Callbacks that became owed together share one entry of this index, which stays until all of them have been delivered.
-- Each search for due callbacks then reads them all again. An entry each is skipped as soon as its callback is taken.
alter index callback_of_origin set (deduplicate_items = off);
