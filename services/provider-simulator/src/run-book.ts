import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Refusal } from './fulfilment-client.ts'

/** What must be known of a run after a crash: the keys of calls whose answer may be lost, and how far it got. */
export type RunRecord = {
  claimKey: string
  postingKey: string
  refusals?: readonly Refusal[]
  /** Documents that are not handed over. */
  held?: readonly string[]
  acknowledgedAt?: string
  handoverAt?: string
  finishedAt?: string
}

export type RunBook = {
  /** The record of a run, with fresh keys when it is taken up for the first time. */
  take(batchNumber: string): Promise<RunRecord>
  save(batchNumber: string, record: RunRecord): Promise<void>
  listUnfinished(): Promise<string[]>
}

/** Opens the records, one file for each run. A record is on disk before the call that it is about. */
export async function openRunBook(directory: string): Promise<RunBook> {
  await mkdir(directory, { recursive: true })
  const finished = new Set<string>()

  async function read(batchNumber: string): Promise<RunRecord | undefined> {
    try {
      return JSON.parse(await readFile(pathOf(batchNumber), 'utf8')) as RunRecord
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
  }

  async function save(batchNumber: string, record: RunRecord): Promise<void> {
    const path = pathOf(batchNumber)
    await writeFile(`${path}.part`, JSON.stringify(record), { flush: true })
    await rename(`${path}.part`, path)
    if (record.finishedAt) finished.add(batchNumber)
  }

  function pathOf(batchNumber: string): string {
    if (!/^[A-Za-z0-9-]{1,50}$/.test(batchNumber)) throw new Error('Not a batch number')
    return join(directory, `${batchNumber}.json`)
  }

  return {
    save,
    take: async (batchNumber) => {
      const known = await read(batchNumber)
      if (known) return known
      const record = { claimKey: randomUUID(), postingKey: randomUUID() }
      await save(batchNumber, record)
      return record
    },
    listUnfinished: async () => {
      const names = (await readdir(directory)).filter((name) => name.endsWith('.json'))
      const unfinished: string[] = []
      for (const batchNumber of names.map((name) => name.slice(0, -'.json'.length)).sort()) {
        if (finished.has(batchNumber)) continue
        if ((await read(batchNumber))?.finishedAt) finished.add(batchNumber)
        else unfinished.push(batchNumber)
      }
      return unfinished
    },
  }
}
