import { createWriteStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type RecordColumn, recordColumns } from '@despatch/contracts/records/record-columns'
import type { RecordKind } from '@despatch/contracts/records/record-kinds'
import { stringify } from 'csv-stringify/sync'
import { wrongUsage } from '../failure.ts'
import type { SourceFormat } from './source-file.ts'

export type GenerateOptions = {
  kind: RecordKind
  count: number
  seed: number
  format: SourceFormat
  /** The day that dates are relative to. */
  today: string
  /** For drivers: the percentage with a photograph. */
  imagePercent: number
}

const recordsPerWrite = 500

/** Writes generated records to a new file or to `output`. The same options produce the same records. */
export async function generateRecords(
  options: GenerateOptions,
  to: { path: string } | { output: Writable },
): Promise<void> {
  const source = Readable.from(render(await generate(options), options), { objectMode: true })
  if ('output' in to) return pipeline(source, to.output, { end: false })
  await pipeline(source, createWriteStream(to.path, { flags: 'wx' })).catch((error: unknown) => {
    const { code } = error as { code?: string }
    if (code === 'EEXIST') throw wrongUsage(`${to.path} already exists`)
    if (code === 'ENOENT') throw wrongUsage(`the directory of ${to.path} does not exist`)
    throw error
  })
}

async function generate(options: GenerateOptions): Promise<Iterable<object>> {
  const { kind, ...set } = options
  if (kind === 'vehicle') {
    const { generateVehicles } = await import('@despatch/synthetic/vehicles')
    return generateVehicles(set)
  }
  const { generateDrivers } = await import('@despatch/synthetic/drivers')
  return generateDrivers(set)
}

function* render(
  records: Iterable<object>,
  { kind, format }: Pick<GenerateOptions, 'kind' | 'format'>,
): Generator<string> {
  const columns = recordColumns(kind)
  const renderSome =
    format === 'csv'
      ? (some: object[]) => stringify(some.map((record) => cellsOf(record, columns)))
      : (some: object[]) => some.map((record) => `${JSON.stringify(record)}\n`).join('')
  if (format === 'csv') yield stringify([columns.map(({ path }) => path)])
  let some: object[] = []
  for (const record of records) {
    some.push(record)
    if (some.length < recordsPerWrite) continue
    yield renderSome(some)
    some = []
  }
  if (some.length > 0) yield renderSome(some)
}

/** Returns the cells of a record, as `rowMaker` reads them. */
export function cellsOf(record: object, columns: readonly RecordColumn[]): string[] {
  return columns.map(({ path, holds }) => {
    const value = path
      .split('.')
      .reduce<unknown>((parent, name) => (parent as Record<string, unknown>)?.[name], record)
    if (value === undefined) return ''
    return holds === 'text' ? String(value) : JSON.stringify(value)
  })
}
