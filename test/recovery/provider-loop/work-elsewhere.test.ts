import { join } from 'node:path'
import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { eventually } from '@despatch/testing/eventually'
import { describe, expect, test } from 'vitest'
import { checkPrintHistory } from '../../faults/checks/check-print-history.ts'
import { readPrintHistory } from '../../faults/facts/print-history.ts'
import {
  aLoopForAll,
  aProductionLine,
  countSteps,
  documentIdsOf,
  stateOfRun,
  statusesOf,
} from '../../stack/provider-loop/a-production-line.ts'
import { aProvider, refusalOf } from '../../stack/provider-loop/a-provider.ts'
import { startSimulator } from '../../stack/provider-loop/start-simulator.ts'
import { makeDirectory } from '../../stack/start-despatch.ts'
import { startService } from '../../stack/start-service.ts'

const loop = aLoopForAll()

/** A production line, and a second provider that has the same paper but gets no letters automatically. */
async function aLineWithRelief() {
  const line = await aProductionLine(loop())
  const account = await loop().addProvider(line.contract.stationery)
  await loop().database.pool.query('update print_site set share = 0 where provider_id = $1', [
    account.id,
  ])
  const relief = await aProvider(loop().gateway.url, account)
  return { line, relief }
}

/** Reassigns a run, as an operator does who knows that nothing of it is on paper. Returns the number of the new run. */
async function move(batchNumber: string, providerId: string): Promise<string> {
  const order = { batchNumber, providerId, printLocation: 'FLOOR', actor: 'operator' }
  const outcome = await loop()
    .database.db.transaction()
    .execute((tx) => reassignDocuments(tx, { ...order, reason: 'Fire', nothingPrinted: true }))
  if (outcome.kind !== 'moved') throw new Error(`The run is ${outcome.kind}`)
  return outcome.run.batchNumber
}

describe('a claimed run that an operator reassigns to another provider', () => {
  test('is refused to the old provider when it returns, and posted only by the new one', async () => {
    const { line, relief } = await aLineWithRelief()
    const { batchNumber, letters } = await line.aRun(10)
    const old = line.provider
    await old.claim(batchNumber, `claim ${batchNumber}`)
    const stale = await old.manifest(batchNumber)
    const [documentId = ''] = documentIdsOf(stale)
    const event = { documentId, type: 'PRINTED', eventId: `old ${batchNumber}` }
    const late = async () => [
      refusalOf(await old.acknowledge(batchNumber, stale)),
      refusalOf(await old.report(batchNumber, [event])),
      refusalOf(await old.post(batchNumber, `late ${batchNumber}`)),
      refusalOf(await old.close(batchNumber)),
    ]
    const refused = [
      '409 PrintRunNotInProduction',
      '409 PrintRunNotInProduction',
      '409 PostingConflict',
      '409 PrintRunNotInProduction',
    ]

    const fresh = await move(batchNumber, relief.id)
    expect(await late()).toEqual(refused)
    await relief.claim(fresh, `claim ${fresh}`)
    const manifest = await relief.manifest(fresh)
    expect(await late()).toEqual(refused)
    expect((await relief.acknowledge(fresh, manifest)).status).toBe(200)
    expect(await late()).toEqual(refused)
    const { postingId } = (await relief.post(fresh, `post ${fresh}`)).body
    await relief.confirm(postingId)
    expect(await late()).toEqual(refused)
    expect((await relief.close(fresh)).status).toBe(200)

    // the same documents, each with a further attempt
    expect(documentIdsOf(manifest)).toEqual(documentIdsOf(stale))
    expect(manifest.printEpoch).toBe(2)
    expect(new Set(manifest.documents.map(({ attempt }: { attempt: number }) => attempt))).toEqual(
      new Set([2]),
    )
    expect(await statusesOf(loop(), letters)).toEqual({ DESPATCHED: 10 })
    expect(await countSteps(loop(), letters, 'despatch')).toBe(10)
    expect(refusalOf(await old.claim(fresh, 'mine'))).toBe('404 PrintRunNotFound')
  })

  test('is printed only by the new factory, although the old one crashed with the files', async () => {
    await using directory = await makeDirectory()
    const { line, relief } = await aLineWithRelief()
    const { batchNumber, letters } = await line.aRun(10)
    const factories = [line.provider, relief].map(({ id, credential }) => ({
      id,
      credential,
      directory: join(directory.path, id),
    }))
    const start = (index: number, floor = {}) =>
      startSimulator({ ...factories[index]!, baseUrl: loop().gateway.url, floor })
    await using crashing = start(0, { crashAt: ['after-fetch'] })
    expect(await crashing.ended, crashing.output()).toBe(70)

    const fresh = await move(batchNumber, relief.id)
    await using _back = start(0)
    await using _relief = start(1)
    await eventually(async () => (await stateOfRun(loop(), fresh)) === 'CLOSED', {
      deadlineMs: 90_000,
      message: `${fresh} is closed`,
    })

    const history = await readPrintHistory(loop().database, [line.contract.contractId], factories)
    expect(checkPrintHistory(history)).toEqual([])
    expect(new Set(history.printLog.map(({ providerId }) => providerId))).toEqual(
      new Set([relief.id]),
    )
    expect(await statusesOf(loop(), letters)).toEqual({ DESPATCHED: 10 })
  })
})

// A timer builds print runs using PostgreSQL alone, so the queue backend makes no difference here.
describe('an absent provider', () => {
  const stayAway = (providerId: string) =>
    loop().database.pool.query(
      `update provider set away_seconds_max = 60, last_seen_at = now() - interval '1 hour' where id = $1`,
      [providerId],
    )

  /** Returns where the letters are now, and how often they were in a run. */
  async function whereabouts(letters: readonly { key: string }[]) {
    const { rows } = await loop().database.pool.query<{ providerId: string; rows: number }>(
      `select provider_id as "providerId", count(*) as rows,
         count(*) filter (where removed_at is null and print_run_document.voided_at is null) as live
       from print_run_document join print_run using (batch_number)
       where print_job_key = any ($1::uuid[]) group by provider_id`,
      [letters.map(({ key }) => key)],
    )
    return new Map(rows.map(({ providerId, ...counts }) => [providerId, counts]))
  }

  const startPipelines = async () => {
    const environment = {
      ...loop().environment,
      DESPATCH_PRINT_RUN_AGE_MS: '0',
      DESPATCH_COMPOSE_THREADS: '1',
    }
    return Promise.all([
      startService('pipeline', environment),
      startService('pipeline', environment),
    ])
  }

  test('loses its unclaimed runs once, and keeps its claimed runs', async () => {
    const line = await aProductionLine(loop())
    const claimed = await line.aRun(10)
    await line.provider.claim(claimed.batchNumber, `claim ${claimed.batchNumber}`)
    const { batchNumber, letters } = await line.aRun(40)
    const relief = await aProvider(
      loop().gateway.url,
      await loop().addProvider(line.contract.stationery),
    )
    await stayAway(line.provider.id)

    const pipelines = await startPipelines()
    const fresh = await eventually(
      async () => {
        const { body } = await relief.call('GET', '/print-runs?state=RELEASED')
        return body.printRuns[0]?.batchNumber as string | undefined
      },
      { message: 'the relief has the run' },
    )
    await Promise.all(pipelines.map(({ kill }) => kill('SIGKILL')))
    const back = await line.provider.claim(batchNumber, `back ${batchNumber}`)
    const taken = await relief.claim(fresh, `claim ${fresh}`)

    expect(refusalOf(back)).toBe('409 PrintRunNotClaimable')
    expect([taken.status, taken.body.documentCount]).toEqual([200, 40])
    expect(await whereabouts(letters)).toEqual(
      new Map([
        [line.provider.id, { rows: 40, live: 0 }],
        [relief.id, { rows: 40, live: 40 }],
      ]),
    )
    expect(await whereabouts(claimed.letters)).toEqual(
      new Map([[line.provider.id, { rows: 10, live: 10 }]]),
    )
    expect(await countSteps(loop(), letters, 'produce')).toBe(40)
  })
})
