-- The address of a letter that waits may be corrected, by operators who have been given the role.
alter table consumer
  drop constraint consumer_roles_check,
  add constraint consumer_roles_check check (
    roles <@ array['consumer', 'provider', 'operator', 'address-editor', 'admin'] and cardinality(roles) > 0);

alter table print_job
  -- recipientName and address in the stead of what was submitted, which stays in standard_params
  add column address_override jsonb,
  -- when it was last corrected; stays when the address is purged
  add column address_overridden_at timestamptz;
