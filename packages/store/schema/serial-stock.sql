-- Numbered stock.

-- Every number that was issued is in stock, used or spoiled.
-- Written and read by administration and fulfilment. A row stays: it proves what was printed, and has ids only.
create table serial_number (
  job_type text not null,
  serial_number text not null,
  provider_id text not null references provider (id),
  state text not null check (state in ('IN_STOCK', 'USED', 'SPOILED')),
  batch_number text,
  document_id text,
  attempt integer,
  reason text,
  -- 'stock' was issued by an operator before its use; 'report' became known when a provider named it
  issued_as text not null check (issued_as in ('stock', 'report')),
  issued_by text not null,
  issued_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (job_type, serial_number),
  check (state <> 'USED' or document_id is not null)
);
-- Says whether the stock of a job type is issued before its use.
create index serial_number_stock on serial_number (job_type) where issued_as = 'stock';
create index serial_number_account on serial_number (provider_id, job_type, state);
create index serial_number_document on serial_number (batch_number, document_id) where document_id is not null;
