import { createHash, randomUUID } from 'node:crypto'
import {
  manifestDocumentLine,
  manifestRunLine,
  manifestTotalsLine,
} from '@despatch/domain/print-run/manifest-digest'
import { beforeAll, describe, expect, test } from 'vitest'
import { authenticate } from '../../stack/a-consumer.ts'
import {
  aLoopForAll,
  aProductionLine,
  countSteps,
  documentIdsOf,
  type ProductionLine,
  stateOfRun,
  statusesOf,
} from '../../stack/provider-loop/a-production-line.ts'
import { aProvider, refusalOf } from '../../stack/provider-loop/a-provider.ts'
import { killWhileBlocked } from '../../stack/provider-loop/kill-while-blocked.ts'
import { startService } from '../../stack/start-service.ts'

const loop = aLoopForAll()
let line: ProductionLine
beforeAll(async () => {
  line = await aProductionLine(loop())
})

const claimPath = /\/claim$/

describe('a claim whose reply is lost', () => {
  async function aLostClaim() {
    const run = await line.aRun(20)
    const key = `lost ${run.batchNumber}`
    const lost = loop().gateway.cutNext('POST', claimPath)
    await expect(line.provider.claim(run.batchNumber, key)).rejects.toThrow()
    expect(await lost).toBe(200)
    expect(await stateOfRun(loop(), run.batchNumber)).toBe('CLAIMED')
    return { ...run, key }
  }

  test('and repeated with the same key gets the same bytes each time', async () => {
    const { batchNumber, letters, key } = await aLostClaim()

    const answers = [
      await line.provider.claim(batchNumber, key),
      await line.provider.claim(batchNumber, key),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]!.text).toBe(answers[0]!.text)
    const { rows } = await loop().database.pool.query<{ response: Buffer }>(
      'select response from print_run_claim where batch_number = $1',
      [batchNumber],
    )
    expect(rows.map(({ response }) => response.toString())).toEqual([answers[0]!.text])
    expect(await countSteps(loop(), letters, 'produce')).toBe(20)
  })

  test('and made again with a new key gets the same documents under the same ids', async () => {
    const { batchNumber, letters, key } = await aLostClaim()
    const before = await line.provider.manifest(batchNumber)

    const { body } = await line.provider.claim(batchNumber, `new ${batchNumber}`)

    expect(body.manifestDigest).toBe(before.manifestDigest)
    expect(await line.provider.manifest(batchNumber)).toEqual(before)
    expect(new Set(documentIdsOf(before)).size).toBe(20)
    expect(await countSteps(loop(), letters, 'produce')).toBe(20)
    expect((await line.provider.claim(batchNumber, key)).status).toBe(200)
  })

  test('and never repeated leaves the run with its provider after the lease', async () => {
    const { batchNumber, letters } = await aLostClaim()
    const before = await line.provider.manifest(batchNumber)
    await loop().database.pool.query(
      `update print_run set lease_until = now() - interval '1 day' where batch_number = $1`,
      [batchNumber],
    )
    const other = await aProvider(
      loop().gateway.url,
      await loop().addProvider(`A4-${randomUUID()}`),
    )
    // builds print runs once more
    await line.aRun(1)

    const theirs = await other.claim(batchNumber, 'not mine')

    expect(refusalOf(theirs)).toBe('404 PrintRunNotFound')
    expect(await stateOfRun(loop(), batchNumber)).toBe('CLAIMED')
    expect(await statusesOf(loop(), letters)).toEqual({ PRODUCTION: 20 })
    expect(await line.provider.manifest(batchNumber)).toEqual(before)
    expect((await line.provider.acknowledge(batchNumber, before)).status).toBe(200)
  })
})

test('only one of two concurrent providers gets a run, and its two clients get the same list', async () => {
  const { batchNumber, letters } = await line.aRun(50)
  const stranger = await aProvider(
    loop().gateway.url,
    await loop().addProvider(`A4-${randomUUID()}`),
  )
  const colleague = await aProvider(loop().gateway.url, line.provider)

  const [theirs, ours, same, repeat] = await Promise.all([
    stranger.claim(batchNumber, 'one'),
    line.provider.claim(batchNumber, `one ${batchNumber}`),
    colleague.claim(batchNumber, `two ${batchNumber}`),
    colleague.claim(batchNumber, `one ${batchNumber}`),
  ])

  expect(refusalOf(theirs)).toBe('404 PrintRunNotFound')
  expect([ours.status, same.status, repeat.status]).toEqual([200, 200, 200])
  expect(same.body.manifestDigest).toBe(ours.body.manifestDigest)
  expect(repeat.text).toBe(ours.text)
  expect(await countSteps(loop(), letters, 'produce')).toBe(50)
})

test('during 2,000 deletions a claim leaves each letter either deleted or in the manifest', async () => {
  const { batchNumber, letters } = await line.aRun(2_000)
  await using printRequest = await startService('print-request', loop().environment)
  const deletions = await deleter(printRequest.url)
  const outcomes = new Map<string, number>()
  const { promise: claimTime, resolve: startClaim } = Promise.withResolvers<void>()
  // at the pace of the machine all of these can be deleted before the claim takes the run
  const waiting = letters.slice(0, 1_900).values()
  const deleteInLane = async () => {
    for (const { id, key } of waiting) {
      outcomes.set(key, await deletions(id))
      if (outcomes.size === 300) startClaim()
    }
  }

  const [claim] = await Promise.all([
    claimTime.then(() => line.provider.claim(batchNumber, `race ${batchNumber}`)),
    ...Array.from({ length: 32 }, deleteInLane),
  ])
  expect(claim.status, claim.text).toBe(200)
  const tooLate = letters.slice(1_900)
  for (const { id, key } of tooLate) outcomes.set(key, await deletions(id))

  expect(new Set(tooLate.map(({ key }) => outcomes.get(key)))).toEqual(new Set([409]))
  expect(new Set(outcomes.values())).toEqual(new Set([204, 409]))
  const manifest = await line.provider.manifest(batchNumber)
  const { rows } = await loop().database.pool.query<{ key: string }>(
    `select print_job_key as key from print_run_document
     where batch_number = $1 and document_id = any ($2)`,
    [batchNumber, documentIdsOf(manifest)],
  )
  const kept = letters.filter(({ key }) => outcomes.get(key) === 409).map(({ key }) => key)
  expect(rows.map(({ key }) => key).toSorted()).toEqual(kept.toSorted())
  expect(claim.body.documentCount).toBe(kept.length)
  expect(await statusesOf(loop(), letters)).toEqual({
    PRODUCTION: kept.length,
    PENDING: 2_000 - kept.length,
  })
  expect(digestOf(manifest)).toBe(claim.body.manifestDigest)
  expect((await line.provider.acknowledge(batchNumber, manifest)).status).toBe(200)
})

test.each(['print_job', 'print_run_claim'] as const)(
  'killing fulfilment while a claim writes %s leaves no change, and a repetition works',
  async (table) => {
    const { batchNumber, letters } = await line.aRun(30)
    const key = `killed ${batchNumber}`

    await killWhileBlocked(loop(), {
      hold: (client) =>
        table === 'print_job'
          ? client.query('select from print_job where key = $1 for update', [letters[29]!.key])
          : client.query(
              `insert into print_run_claim (provider_id, claim_key, batch_number, request_hash, response)
               values ($1, $2, $3, '', '')`,
              [line.provider.id, key, batchNumber],
            ),
      call: () => line.provider.claim(batchNumber, key),
    })

    expect(await stateOfRun(loop(), batchNumber)).toBe('RELEASED')
    expect(await statusesOf(loop(), letters)).toEqual({ PENDING: 30 })
    expect(await countSteps(loop(), letters, 'produce')).toBe(0)
    const { status, body } = await line.provider.claim(batchNumber, key)
    expect([status, body.documentCount]).toEqual([200, 30])
    expect(await countSteps(loop(), letters, 'produce')).toBe(30)
  },
)

/** Returns a function that deletes a letter on behalf of its consumer and returns the status. */
async function deleter(url: string): Promise<(id: string) => Promise<number>> {
  const { consumer, gateway } = loop()
  const authorization = await authenticate(gateway.url, consumer)
  const headers = { authorization, 'x-api-key': consumer.apiKey }
  return async (id) => {
    const path = `/print-request/v1/print/jobs/${id}`
    const answer = await fetch(`${url}${path}`, { method: 'DELETE', headers })
    await answer.body?.cancel()
    return answer.status
  }
}

/** Computes the digest from a manifest, as a provider does. */
function digestOf(manifest: Awaited<ReturnType<typeof line.provider.manifest>>): string {
  const { documents, totals, manifestVersion } = manifest
  return createHash('sha256')
    .update(manifestRunLine(manifest))
    .update(documents.map(manifestDocumentLine).join(''))
    .update(manifestTotalsLine({ ...totals, manifestVersion }))
    .digest('hex')
}
