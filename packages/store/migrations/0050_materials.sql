-- The paper and envelopes by which the letters of a run are weighed, kept from its site when the release begins, so that
-- estimates stay when the site changes. Null: the defaults, as in all earlier runs.
alter table print_run add column if not exists materials jsonb;
