import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@despatch/telemetry/logger'
import { eventually } from '@despatch/testing/eventually'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProductionEvent } from '../src/produce-print-run.ts'
import { createProviderSimulator, type ProviderSimulator } from '../src/provider-simulator.ts'
import { startFakeGateway } from './fake-gateway.ts'

let gateway: Awaited<ReturnType<typeof startFakeGateway>>
let directory: string
let simulator: ProviderSimulator
let events: ProductionEvent[]

beforeEach(async () => {
  gateway = await startFakeGateway()
  directory = await mkdtemp(join(tmpdir(), 'provider-simulator-'))
  events = []
})
afterEach(async () => {
  await simulator.close()
  await gateway.stop()
  await rm(directory, { recursive: true })
})

async function start({
  printTimeMs = 0,
  outcomesUrl,
}: {
  printTimeMs?: number
  outcomesUrl?: string
} = {}): Promise<void> {
  const config = {
    LOG_LEVEL: 'silent' as const,
    DESPATCH_BASE_URL: gateway.url,
    DESPATCH_PROVIDER_USER_NAME: 'factory',
    DESPATCH_PROVIDER_PASSWORD: 'password',
    DESPATCH_PROVIDER_API_KEY: 'key',
    DESPATCH_PROVIDER_DIRECTORY: directory,
    DESPATCH_SIMULATOR_OUTCOMES_URL: outcomesUrl,
    DESPATCH_PROVIDER_POLL_INTERVAL_MS: 20,
    DESPATCH_PROVIDER_PRINT_TIME_MS: printTimeMs,
  }
  simulator = await createProviderSimulator(config, {
    log: createLogger({ service: 'provider-simulator', level: 'silent' }),
    onEvent: (event) => events.push(event),
  })
  simulator.start()
}

const isPosted = (batchNumber: string) =>
  eventually(() => gateway.runs.get(batchNumber)?.state === 'POSTED', {
    message: `${batchNumber} is posted`,
  })

const happened = (kind: ProductionEvent['kind']) =>
  eventually(() => events.some((event) => event.kind === kind), { message: `something is ${kind}` })

async function printed(): Promise<unknown[]> {
  const text = await readFile(join(directory, 'print-log.ndjson'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).documentId)
    .toSorted()
}

test('takes a released run from claim to posting, and tells of each step', async () => {
  const run = gateway.release('R1', { D1: 'first letter', D2: 'second letter' })

  await start()
  await isPosted('R1')
  await happened('posted')

  expect(await printed()).toEqual(['D1', 'D2'])
  expect(run.acknowledgement).toEqual({
    documentCount: 2,
    sheetCount: 4,
    manifestDigest: run.manifest.manifestDigest,
  })
  expect(gateway.logins).toEqual([{ userName: 'factory', password: 'password' }])
  expect(events.map(({ kind }) => kind).toSorted()).toEqual([
    'acknowledged',
    'claimed',
    'fetched',
    'fetched',
    'posted',
    'printed',
    'printed',
  ])
})

test('shows its credentials to the interface only, not to the address of a file', async () => {
  gateway.release('R1', { D1: 'a letter' })

  await start()
  await isPosted('R1')

  expect(gateway.files.get('/files/D1')?.credentials).toEqual([undefined])
})

test('a claim whose answer was lost is repeated with the same key', async () => {
  const run = gateway.release('R1', { D1: 'a letter' })
  gateway.faults.push({ path: '/claim', status: 502, left: 2 })

  await start()
  await isPosted('R1')

  // once more where an answer gets lost by itself, as it does on a machine that is busy
  expect(run.claimKeys.length).toBeGreaterThanOrEqual(3)
  expect(new Set(run.claimKeys).size).toBe(1)
})

test('a token that has expired is renewed', async () => {
  await start()
  await eventually(() => gateway.logins.length === 1, { message: 'it has logged in' })
  gateway.expireTokens()

  gateway.release('R1', { D1: 'a letter' })
  await isPosted('R1')

  expect(gateway.logins).toHaveLength(2)
})

test('after a restart it goes on where it was: same keys, nothing printed twice', async () => {
  const run = gateway.release('R1', { D1: 'first letter', D2: 'second letter' })
  gateway.faults.push({ path: '/postings', status: 503, left: 1 })
  await start({ printTimeMs: 600_000 })
  await happened('acknowledged')
  await simulator.close()
  expect(run.state).toBe('ACCEPTED')

  await start({ printTimeMs: 0 })
  await isPosted('R1')

  expect(await printed()).toEqual(['D1', 'D2'])
  expect(new Set(run.claimKeys).size).toBe(1)
  expect(run.postingKeys).toHaveLength(2)
  expect(new Set(run.postingKeys).size).toBe(1)
})

test('refuses a file that is not that of the manifest, and posts the others', async () => {
  const run = gateway.release('R1', { D1: 'good', D2: 'good as well' })
  gateway.files.get('/files/D2')!.content = 'altered'

  await start()
  await isPosted('R1')

  expect(await printed()).toEqual(['D1'])
  expect(run.acknowledgement?.refusals).toEqual([
    { documentId: 'D2', reasonCode: 'DIGEST', reason: 'The file is not that of the manifest' },
  ])
})

test('in a test environment it refuses and holds what it is told to', async () => {
  const run = gateway.release('R1', { D1: 'printed', D2: 'refused', D3: 'held' })
  const refusal = { reasonCode: 'UNPRINTABLE', reason: 'The document cannot be printed' }
  gateway.outcomes.set('D2', { outcome: 'refuse', ...refusal })
  gateway.outcomes.set('D3', { outcome: 'hold' })

  await start({ outcomesUrl: `${gateway.url}/uat/print-outcomes` })
  await isPosted('R1')

  expect(await printed()).toEqual(['D1', 'D3'])
  expect(run.acknowledgement?.refusals).toEqual([{ documentId: 'D2', ...refusal }])
  expect(run.posted[0]).toEqual(['D1'])
  expect(new Set(run.postingKeys).size).toBe(1)
})

test('a run of held documents is not posted, and does not keep the next one waiting', async () => {
  const held = gateway.release('R1', { D1: 'held' })
  gateway.outcomes.set('D1', { outcome: 'hold' })
  gateway.release('R2', { D2: 'a letter' })

  await start({ outcomesUrl: `${gateway.url}/uat/print-outcomes` })
  await isPosted('R2')
  await eventually(() => held.state === 'ACCEPTED', { message: 'R1 is accepted' })

  expect(held.postingKeys).toEqual([])
})

test('what was held before a restart is held after it', async () => {
  const run = gateway.release('R1', { D1: 'printed', D2: 'held' })
  gateway.outcomes.set('D2', { outcome: 'hold' })
  const outcomesUrl = `${gateway.url}/uat/print-outcomes`
  await start({ printTimeMs: 600_000, outcomesUrl })
  await happened('acknowledged')
  await simulator.close()

  await start({ printTimeMs: 0, outcomesUrl })
  await isPosted('R1')

  expect(run.posted).toEqual([['D1']])
})

test('prints nothing of a manifest whose digest does not fit', async () => {
  const bad = gateway.release('R1', { D1: 'a letter' })
  bad.manifest = { ...bad.manifest, stationery: 'A4-OTHER' }
  gateway.release('R2', { D2: 'a letter' })

  await start()
  await isPosted('R2')
  await eventually(() => bad.claimKeys.length > 1, { message: 'R1 is tried again' })

  expect(await printed()).toEqual(['D2'])
  expect(bad.state).toBe('CLAIMED')
})
