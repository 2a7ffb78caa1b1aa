import { aDatabase } from '@despatch/testing/a-database'
import { inject } from 'vitest'
import type { Answer, ConformanceCase } from '../../src/conformance/conformance-case.ts'
import { createExchange } from '../../src/conformance/exchange.ts'
import { type Pace, standardPace } from '../../src/conformance/pace.ts'
import { startPlatform } from '../../src/conformance/platform.ts'
import { readRunFacts } from '../../src/conformance/run-facts.ts'
import { seedRun } from '../../src/conformance/seed-run.ts'

export const credentials = {
  userName: 'factory',
  password: 'A password of the tests, 1',
  apiKey: 'the-key-of-the-tests',
}
const runs = '/print-fulfilment/v1/print-runs'

type Sent = { body?: unknown; key?: string; headers?: Record<string, string> }
export type Heard = {
  status: number
  headers: Answer['headers']
  bytes: Uint8Array
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which tests look into
  json: any
}
type EventOf = { type?: string; attempt?: number; eventId?: string; reasonCode?: string }

/** A platform on which a test file plays cases, call by call and without a server. */
export async function aStage() {
  const { pool, url, close } = await aDatabase({ connectionsMax: 1 })
  const { objectStore } = inject('infra')
  const platform = await startPlatform({ credentials, servers: { databaseUrl: url, objectStore } })
  return {
    pool,
    play: (conformanceCase: ConformanceCase, pace: Partial<Pace> = {}) =>
      aPlay(platform, conformanceCase, pace),
    close: async () => {
      await platform.close()
      await close()
    },
  }
}

async function aPlay(
  platform: Awaited<ReturnType<typeof startPlatform>>,
  conformanceCase: ConformanceCase,
  changes: Partial<Pace>,
) {
  const exchange = createExchange(platform, 'http://kit.example')
  const { documentCount, reprintsFreeMax = 10 } = conformanceCase
  const run = await seedRun(platform, { documentCount, reprintsFreeMax })
  const { batchNumber } = run
  const pace = { ...standardPace, ...changes }
  const { expireTokens } = exchange
  const script = conformanceCase.script({ run, platform, pace, expireTokens })
  const { calls } = exchange.begin(run, script, () => {})
  const ids = run.documents.map(({ documentId }) => documentId) as [string, ...string[]]
  let token = ''

  /** Throws if the response is lost, as it appears to a client. */
  async function send(method: string, path: string, sent: Sent = {}): Promise<Heard> {
    const { body, key, headers = {} } = sent
    const answer = await exchange.handle({
      method,
      url: path,
      headers: {
        'x-api-key': credentials.apiKey,
        authorization: `Bearer ${token}`,
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    })
    if (answer === 'lost') throw new Error('the answer was lost')
    const { status, headers: heard, body: bytes } = answer
    const isJson = bytes.length > 0 && heard['content-type']?.startsWith('application/json')
    const json = isJson ? JSON.parse(Buffer.from(bytes).toString()) : undefined
    return { status, headers: heard, bytes, json }
  }

  const at = `${runs}/${batchNumber}`
  const client = {
    send,
    signIn: async () => {
      const { userName, password } = credentials
      const path = '/thirdparty-access/v1/authenticate'
      const { json } = await send('POST', path, { body: { userName, password } })
      token = json['id-token']
    },
    /** Signs in and claims the run. */
    start: async () => {
      await client.signIn()
      await client.claim()
    },
    list: () => send('GET', `${runs}?state=RELEASED`),
    claim: (key = `claim-1 of ${batchNumber}`) => send('POST', `${at}/claim`, { key }),
    manifest: () => send('GET', `${at}/manifest`),
    link: async (documentId: string): Promise<string> => {
      const { headers } = await send('GET', `${at}/documents/${documentId}/content`)
      return (headers.location ?? '').replace('http://kit.example', '')
    },
    fetch: async (documentId: string) => send('GET', await client.link(documentId)),
    fetchAll: async () => {
      for (const { documentId } of run.documents.filter((each) => !each.isWithdrawn)) {
        await client.fetch(documentId)
      }
    },
    acknowledge: async (changes: object = {}) => {
      const { totals, manifestDigest } = (await client.manifest()).json
      const { documentCount, sheetCount } = totals
      const body = { documentCount, sheetCount, manifestDigest, ...changes }
      return send('POST', `${at}/acknowledgement`, { body })
    },
    report: (documentId: string, event: EventOf = {}) => {
      const { type = 'PRINTED', attempt = 1, ...others } = event
      const eventId = `${type} ${documentId} ${attempt}`
      const occurredAt = new Date().toISOString()
      const body = { events: [{ eventId, documentId, attempt, type, occurredAt, ...others }] }
      return send('POST', `${at}/events`, { body })
    },
    /** Reports the document as spoiled, and asks for another attempt. */
    askForReprint: async (documentId: string) => {
      await client.report(documentId, { type: 'SPOILED', reasonCode: 'JAM' })
      const body = { documents: [{ documentId, reasonCode: 'JAM' }] }
      return send('POST', `${at}/reprints`, { body })
    },
    post: (changes: object = {}, key = 'posting-1') => {
      const body = { batchNumber, carrier: 'Mail', handoverAt: '2026-03-02T17:00:00Z', ...changes }
      const own = `${key} of ${batchNumber}`
      return send('POST', '/print-fulfilment/v1/postings', { body, key: own })
    },
    confirm: (postingId: string) =>
      send('POST', `/print-fulfilment/v1/postings/${postingId}/confirm`),
    close: () => send('POST', `${at}/close`),
    /** Plays from the sign-in to the acknowledgement. */
    takeIn: async (changes: object = {}) => {
      await client.signIn()
      await client.list()
      await client.claim()
      await client.fetchAll()
      return client.acknowledge(changes)
    },
    /** Plays from the posting to the closing. */
    bringOut: async () => {
      const { json } = await client.post()
      await client.confirm(json.postingId)
      return client.close()
    },
  }
  return {
    client,
    ids,
    run,
    at,
    calls,
    facts: () => readRunFacts(platform.database, batchNumber),
    judge: async () => {
      const facts = await readRunFacts(platform.database, batchNumber)
      return conformanceCase.judge({ run, facts, calls, pace })
    },
  }
}
