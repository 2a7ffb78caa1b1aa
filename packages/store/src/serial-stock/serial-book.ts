import {
  judgeSerialNumber,
  type SerialNumberStanding,
  type SerialNumberTaking,
} from '@despatch/domain/print-run/serial-number'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/** A serial number and its job type. The same number may exist in several job types. */
type SerialNumberName = { jobType: string; serialNumber: string }

/** The state of some numbers while a transaction judges them, and the changes it makes. */
export type SerialBook = {
  standings: Map<string, SerialNumberStanding>
  stockControlled: ReadonlySet<string>
  changed: Map<string, SerialNumberName>
}

/** Reads the state of the numbers and locks their job types until the transaction ends. */
export async function openSerialBook(
  tx: Tx,
  names: readonly SerialNumberName[],
): Promise<SerialBook> {
  if (names.length === 0) {
    return { standings: new Map(), stockControlled: new Set(), changed: new Map() }
  }
  await lockSerialNumbers(
    tx,
    names.map(({ jobType }) => jobType),
  )
  const [standings, stockControlled] = [await listStandings(tx, names), await listStock(tx, names)]
  return { standings, stockControlled, changed: new Map() }
}

/**
 * Prevents other transactions from issuing, using and spoiling numbers of the job types until the transaction ends. A
 * number that nobody has yet has no row that could be locked. Call it once per transaction, after the print runs are
 * locked.
 */
export async function lockSerialNumbers(tx: Tx, jobTypes: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended('serial_number:' || job_type, 0) as key
      from unnest(${[...new Set(jobTypes)]}::text[]) as named (job_type)
      order by key
    ) named`.execute(tx)
}

/** Assigns the number to the attempt, in the book only; `saveSerialBook` writes it. */
export function takeSerialNumber(
  book: SerialBook,
  name: SerialNumberName,
  taking: SerialNumberTaking,
): 'used' | 'taken' | 'not-in-stock' {
  const key = keyOf(name)
  const before = book.standings.get(key)
  const isStockControlled = book.stockControlled.has(name.jobType)
  const judgement = judgeSerialNumber(before, taking, { isStockControlled })
  if (judgement.kind !== 'take') return judgement.kind
  book.standings.set(key, judgement.standing)
  if (judgement.standing.state !== before?.state) book.changed.set(key, name)
  return 'used'
}

/** Writes the changes of the book. A number that was unknown before counts as issued by its provider's report. */
export async function saveSerialBook(tx: Tx, book: SerialBook): Promise<void> {
  if (book.changed.size === 0) return
  const rows = [...book.changed].map(([key, { jobType, serialNumber }]) => {
    const { providerId, state, holder } = book.standings.get(key)!
    return { jobType, serialNumber, providerId, state, ...holder }
  })
  await sql`
    insert into serial_number (job_type, serial_number, provider_id, state, batch_number, document_id, attempt,
      issued_as, issued_by)
    select "jobType", "serialNumber", "providerId", state, "batchNumber", "documentId", attempt,
      'report', 'provider:' || "providerId"
    from json_to_recordset(${JSON.stringify(rows)}::json) as row ("jobType" text, "serialNumber" text,
      "providerId" text, state text, "batchNumber" text, "documentId" text, attempt integer)
    on conflict (job_type, serial_number) do update set state = excluded.state,
      batch_number = excluded.batch_number, document_id = excluded.document_id, attempt = excluded.attempt,
      changed_at = now()`.execute(tx)
}

async function listStandings(tx: Tx, names: readonly SerialNumberName[]) {
  const { rows } = await sql<{
    job_type: string
    serial_number: string
    provider_id: string
    state: SerialNumberStanding['state']
    batch_number: string | null
    document_id: string | null
    attempt: number | null
  }>`
    select job_type, serial_number, provider_id, state, batch_number, document_id, attempt
    from serial_number
    where (job_type, serial_number) in (
      select * from unnest(${names.map(({ jobType }) => jobType)}::text[],
        ${names.map(({ serialNumber }) => serialNumber)}::text[]))`.execute(tx)
  return new Map<string, SerialNumberStanding>(
    rows.map((row) => [
      keyOf({ jobType: row.job_type, serialNumber: row.serial_number }),
      {
        providerId: row.provider_id,
        state: row.state,
        holder:
          row.document_id === null
            ? null
            : {
                batchNumber: row.batch_number!,
                documentId: row.document_id,
                attempt: row.attempt!,
              },
      },
    ]),
  )
}

/** Lists the job types whose numbers operators issue before use. */
async function listStock(tx: Tx, names: readonly SerialNumberName[]): Promise<Set<string>> {
  const jobTypes = [...new Set(names.map(({ jobType }) => jobType))]
  const { rows } = await sql<{ job_type: string }>`
    select job_type from unnest(${jobTypes}::text[]) as named (job_type)
    where exists (
      select from serial_number number
      where number.job_type = named.job_type and number.issued_as = 'stock')`.execute(tx)
  return new Set(rows.map(({ job_type }) => job_type))
}

function keyOf({ jobType, serialNumber }: SerialNumberName): string {
  return JSON.stringify([jobType, serialNumber])
}
