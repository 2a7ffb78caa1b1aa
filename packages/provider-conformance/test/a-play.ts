import type { Answer, ConformanceCase, Evidence } from '../src/conformance-case.ts'
import { createExchange } from '../src/exchange.ts'
import type { Judgement } from '../src/judgement.ts'
import { type Pace, standardPace } from '../src/pace.ts'
import { makeRun } from '../src/platform/make-run.ts'
import { createPlatform } from '../src/platform/platform.ts'

export const credentials = {
  userName: 'factory',
  password: 'a password',
  apiKey: 'the-key-of-the-tests',
}
const batchNumber = 'R1'
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

/** A case that the test plays call by call, without a server. */
export async function aPlay(
  conformanceCase: Pick<ConformanceCase, 'script' | 'judge' | 'documentCount'>,
  pace: Partial<Pace> = {},
) {
  const clock = { now: new Date('2026-03-02T09:00:00Z') }
  const platform = createPlatform('http://kit.example', credentials, () => clock.now)
  const exchange = await createExchange(platform)
  const { documentCount } = conformanceCase
  const run = await makeRun({ batchNumber, documentCount }, { now: clock.now })
  const stage = { run, platform, pace: { ...standardPace, ...pace } }
  const { calls } = exchange.begin(conformanceCase.script(stage), () => {})
  platform.runs.set(batchNumber, run)
  const evidence: Evidence = { run, calls, pace: stage.pace }
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

  const client = {
    send,
    signIn: async () => {
      const { userName, password } = credentials
      const path = '/thirdparty-access/v1/authenticate'
      const { json } = await send('POST', path, { body: { userName, password } })
      token = json['id-token']
    },
    list: () => send('GET', `${runs}?state=RELEASED`),
    claim: (key = 'claim-1') => send('POST', `${runs}/R1/claim`, { key }),
    manifest: () => send('GET', `${runs}/R1/manifest`),
    link: async (documentId: string): Promise<string> => {
      const { headers } = await send('GET', `${runs}/R1/documents/${documentId}/content`)
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
      return send('POST', `${runs}/R1/acknowledgement`, { body })
    },
    report: (documentId: string, event: EventOf = {}) => {
      const { type = 'PRINTED', attempt = 1, ...others } = event
      const eventId = `${type} ${documentId} ${attempt}`
      const occurredAt = clock.now.toISOString()
      const body = { events: [{ eventId, documentId, attempt, type, occurredAt, ...others }] }
      return send('POST', `${runs}/R1/events`, { body })
    },
    post: (changes: object = {}, key = 'posting-1') => {
      const body = { batchNumber, carrier: 'Mail', handoverAt: '2026-03-02T17:00:00Z', ...changes }
      return send('POST', '/print-fulfilment/v1/postings', { body, key })
    },
    confirm: (postingId: string) =>
      send('POST', `/print-fulfilment/v1/postings/${postingId}/confirm`),
    close: () => send('POST', `${runs}/R1/close`),
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
    clock,
    platform,
    run,
    calls,
    judge: (): Judgement => conformanceCase.judge(evidence),
    close: () => exchange.close(),
  }
}
