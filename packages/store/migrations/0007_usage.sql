-- How many requests each consumer, source address and service had in a window of time, as all processes together count them.
-- The library that counts names the columns. Unlogged: counting from nothing after a crash is what a brake may do, and no
-- count waits for the disk.
create unlogged table usage_count (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
