-- Sessions of the console that somebody has signed out of, by the SHA-256 of their ids, until they would have ended anyway: a
-- copy of the cookie serves nobody. The rows go when another one is added after that.
create table ended_session (
  session_hash bytea primary key check (octet_length(session_hash) = 32),
  ends_at timestamptz not null
);
