-- The ids of what an audit event is about, so that operators find every event about one letter, run, callback or other
-- thing. The consumer of an event has its own column.
create or replace function audit_subjects(detail jsonb) returns text[]
language sql immutable strict parallel safe
return array_remove(array[
  detail ->> 'printJobKey', detail ->> 'printJobId', detail ->> 'jobId', detail ->> 'documentId',
  detail ->> 'batchNumber', detail ->> 'movedFrom', detail ->> 'postingId', detail ->> 'reprintId',
  detail ->> 'recallId', detail ->> 'bulkActionId', detail ->> 'callbackId', detail ->> 'origin',
  detail ->> 'providerId', detail ->> 'printLocation', detail ->> 'queue', detail ->> 'recordSetId',
  detail ->> 'contractId', detail ->> 'usagePlan', detail ->> 'secretId', detail ->> 'kid', detail ->> 'retiredKid',
  detail ->> 'subject'
], null);
-- commit
-- concurrently
create index concurrently audit_event_subjects on audit_event using gin (audit_subjects(detail));
create index concurrently audit_event_actor on audit_event (actor, id);
create index concurrently audit_event_action on audit_event (action, id);
