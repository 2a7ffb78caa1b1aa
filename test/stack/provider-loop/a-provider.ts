import { aCaller, type Json, signedIn } from '../a-caller.ts'
import type { Credential } from '../start-despatch.ts'

export type ProviderAnswer = { status: number; text: string; body: Json }
export type ProviderCall = { key?: string; body?: unknown }

/** A print provider that makes single calls, as a script of a factory would. */
export type Provider = {
  id: string
  credential: Credential
  call(method: string, path: string, call?: ProviderCall): Promise<ProviderAnswer>
  claim(batchNumber: string, key: string): Promise<ProviderAnswer>
  manifest(batchNumber: string): Promise<Json>
  acknowledge(batchNumber: string, manifest: Json): Promise<ProviderAnswer>
  report(batchNumber: string, events: readonly ItemEvent[]): Promise<ProviderAnswer>
  /** Saves a posting of all documents that can be posted. */
  post(batchNumber: string, key: string): Promise<ProviderAnswer>
  confirm(postingId: string): Promise<ProviderAnswer>
  close(batchNumber: string): Promise<ProviderAnswer>
}

export type ItemEvent = {
  eventId: string
  documentId: string
  type: string
  attempt?: number
  [member: string]: unknown
}

export async function aProvider(
  baseUrl: string,
  { id, credential }: { id: string; credential: Credential },
): Promise<Provider> {
  const ask = aCaller(`${baseUrl}/print-fulfilment/v1`, await signedIn(baseUrl, credential))
  const call: Provider['call'] = (method, path, { key, body } = {}) =>
    ask(method, path, body, key ? { 'idempotency-key': key } : {})
  const run = (batchNumber: string, action: string) => `/print-runs/${batchNumber}/${action}`

  return {
    id,
    credential,
    call,
    claim: (batchNumber, key) => call('POST', run(batchNumber, 'claim'), { key }),
    manifest: async (batchNumber) => {
      const { status, body } = await call('GET', run(batchNumber, 'manifest'))
      if (status !== 200) throw new Error(`No manifest of ${batchNumber}: ${status}`)
      return body
    },
    acknowledge: (batchNumber, { manifestDigest, totals }) => {
      const { documentCount, sheetCount } = totals
      const body = { documentCount, sheetCount, manifestDigest }
      return call('POST', run(batchNumber, 'acknowledgement'), { body })
    },
    report: (batchNumber, events) => {
      const told = events.map((event) => ({
        attempt: 1,
        occurredAt: '2026-01-31T17:30:00Z',
        ...event,
      }))
      return call('POST', run(batchNumber, 'events'), { body: { events: told } })
    },
    post: (batchNumber, key) => {
      const posting = { batchNumber, carrier: 'A carrier', handoverAt: '2026-01-31T18:00:00Z' }
      return call('POST', '/postings', { key, body: posting })
    },
    confirm: (postingId) => call('POST', `/postings/${postingId}/confirm`),
    close: (batchNumber) => call('POST', run(batchNumber, 'close')),
  }
}

/** Returns the status and the code of the first error of a refusal. */
export function refusalOf({ status, body }: ProviderAnswer): string {
  return `${status} ${body?.errors?.[0]?.code}`
}
