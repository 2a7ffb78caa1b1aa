import { readFile } from 'node:fs/promises'

const directory = new URL('../../schema/', import.meta.url)

/** The name under which a database records the baseline. */
export const baselineName = 'baseline'

/**
 * The files of packages/store/schema in the order in which they are applied, which is that of the store's nouns: a file
 * refers to those before it, and adds the references of earlier tables to its own.
 */
export const baselineFiles = [
  'access',
  'outage',
  'enquiry',
  'enquiry-driver-search',
  'enquiry-name-likeness',
  'record-set',
  'purge',
  'callback',
  'print-job',
  'print-job-partitions',
  'work',
  'provider',
  'print-run',
  'serial-stock',
  'posting',
  'reprint',
  'recall',
  'item-event',
  'bulk-action',
  'overview',
].map((noun) => `${noun}.sql`)

/** Returns the statements that make an empty database one of this release. */
export async function readBaseline(): Promise<string> {
  const texts = await Promise.all(
    baselineFiles.map((name) => readFile(new URL(name, directory), 'utf8')),
  )
  return texts.join('\n')
}

/** What to do with a database that no release can upgrade, in one line. */
export const unreleasedDatabase =
  'This database has the data of an unreleased version of Despatch, which cannot be upgraded. Export what you need with that version, then remove the data folder (.despatch or DESPATCH_DATA_DIR) or give DATABASE_URL an empty database'

type Applied = { name: string; sha256: string }

/** Returns whether an unreleased version made the database: it was migrated, but not from the baseline of this release. */
export function isUnreleased(known: readonly Applied[], applied: readonly Applied[]): boolean {
  const baseline = known.find(({ name }) => name === baselineName)
  if (!baseline || applied.length === 0) return false
  return !applied.some(({ name, sha256 }) => name === baselineName && sha256 === baseline.sha256)
}
