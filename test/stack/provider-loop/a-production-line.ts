import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { replayTimelines } from '../../model/replay-timelines.ts'
import { aProvider, type Provider } from './a-provider.ts'
import { takeCarriers } from './carriers.ts'
import type { LetterContract, PendingLetter } from './pending-letters.ts'
import { type ProviderLoop, startProviderLoop } from './start-provider-loop.ts'

/** A unique paper and the only provider that has it, so that only this test uses the runs released for it. */
export type ProductionLine = {
  contract: LetterContract
  provider: Provider
  /** Returns a released run with this many letters. */
  aRun(count: number): Promise<{ batchNumber: string; letters: PendingLetter[] }>
  /** Returns a run that the provider has claimed and acknowledged. */
  anAcknowledgedRun(
    count: number,
  ): Promise<{ batchNumber: string; letters: PendingLetter[]; documentIds: string[] }>
}

/** Starts a provider loop for the tests of a file. */
export function aLoopForAll(): () => ProviderLoop {
  const parts = new AsyncDisposableStack()
  let loop: ProviderLoop
  beforeAll(async () => {
    const { environment } = parts.use(await takeCarriers())
    loop = parts.use(await startProviderLoop(environment))
    await loop.startFulfilment()
  })
  afterAll(async () => {
    try {
      expect(await replayTimelines(loop.database)).toEqual([])
    } finally {
      await parts.disposeAsync()
    }
  })
  return () => loop
}

export async function aProductionLine(loop: ProviderLoop): Promise<ProductionLine> {
  const stationery = `A4-${randomUUID()}`
  const contract = await loop.addContract(stationery)
  const provider = await aProvider(loop.gateway.url, await loop.addProvider(stationery))

  async function aRun(count: number) {
    const letters = await loop.addLetters(contract, count)
    return { letters, batchNumber: await loop.release(letters) }
  }

  return {
    contract,
    provider,
    aRun,
    anAcknowledgedRun: async (count) => {
      const run = await aRun(count)
      const { batchNumber } = run
      await provider.claim(batchNumber, `claim ${batchNumber}`)
      const manifest = await provider.manifest(batchNumber)
      const { status, text } = await provider.acknowledge(batchNumber, manifest)
      if (status !== 200) throw new Error(`${batchNumber} is not acknowledged: ${text}`)
      return { ...run, documentIds: documentIdsOf(manifest) }
    },
  }
}

export function documentIdsOf(manifest: { documents: { documentId: string }[] }): string[] {
  return manifest.documents.map(({ documentId }) => documentId)
}

/** Counts the letters in each status. */
export async function statusesOf(
  { database }: ProviderLoop,
  letters: readonly PendingLetter[],
): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ status: string; count: number }>(
    `select status, count(*) from print_job where key = any ($1::uuid[]) group by status`,
    [letters.map(({ key }) => key)],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Counts how often the letters made this transition, in total. */
export async function countSteps(
  { database }: ProviderLoop,
  letters: readonly PendingLetter[],
  transition: string,
): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*) from print_job_event where print_job_key = any ($1::uuid[]) and transition = $2`,
    [letters.map(({ key }) => key), transition],
  )
  return rows[0]!.count
}

export async function countCallbacks(
  { database }: ProviderLoop,
  letters: readonly PendingLetter[],
): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*) from callback where print_job_key = any ($1::uuid[])',
    [letters.map(({ key }) => key)],
  )
  return rows[0]!.count
}

export async function stateOfRun(
  { database }: ProviderLoop,
  batchNumber: string,
): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ state: string }>(
    'select state from print_run where batch_number = $1',
    [batchNumber],
  )
  return rows[0]?.state
}
