-- The bytes of an upload that was larger than the limit and is deleted, so that a letter that names it is refused for
-- that reason. The index counts the open uploads of a consumer.
alter table upload add column if not exists oversized_bytes bigint;
-- How many bytes of request bodies a consumer may send to a service in a day (UTC). Null: no limit.
alter table usage_plan add column if not exists bytes_per_day bigint check (bytes_per_day > 0);
-- commit
-- concurrently
create index concurrently upload_open on upload (consumer_id, expires_at) where print_job_key is null;
