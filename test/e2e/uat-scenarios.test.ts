import type { PrintJobEventsResponse } from '@despatch/contracts/print-request/print-job-events'
import type { Scenario } from '@despatch/contracts/uat/scenario'
import { eventually } from '@despatch/testing/eventually'
import { readText } from '@despatch/testing/read-text'
import { shared } from '@despatch/testing/shared'
import { listScenarios } from '@despatch/uat-scenarios/list-scenarios'
import { describe, expect, test } from 'vitest'
import { signedIn } from '../stack/a-caller.ts'
import { aConsumer } from '../stack/a-consumer.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import { fetchPatiently } from '../stack/fetch-patiently.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'

const scenarios = listScenarios()
const enquiries = scenarios.filter(({ api }) => api !== 'print-request')
const printJobs = scenarios.filter(({ api }) => api === 'print-request')

const settings = {
  DESPATCH_ENVIRONMENT: 'uat',
  DESPATCH_SIMULATOR: 'on',
  DESPATCH_PRINT_RUN_AGE_MS: '300',
}
const despatch = await shared(aDespatch(settings, { prepare: liftUsagePlans }))
const { baseUrl, consumer } = despatch.credentials
const credentials = await signedIn(baseUrl, consumer)

describe('enquiries', () => {
  test.each(enquiries.map((scenario) => [nameOf(scenario), scenario] as const))(
    '%s',
    async (_name, { request, expects }) => {
      const response = await send(request)

      expect(response.status).toBe(expects.status)
      if (!expects.results) return
      const { results } = (await response.json()) as {
        results: { drivingLicenceNumber: string }[]
      }
      expect(results.map(({ drivingLicenceNumber }) => drivingLicenceNumber)).toEqual(
        expects.results,
      )
      expect(response.headers.get('x-total-count')).toBe(String(expects.totalCount))
    },
  )
})

describe('print jobs', () => {
  test.concurrent.each(printJobs.map((scenario) => [nameOf(scenario), scenario] as const))(
    '%s',
    async (_name, { request, predefined, expects }) => {
      const response = await send(request)
      expect(response.status).toBe(expects.status)
      const { id } = (await response.json()) as { id: string }

      // for a slow letter, it is enough to see that it is slow
      const slowIn = /^UAT SLOW (\w+)$/.exec(predefined ?? '')?.[1]
      const job = await reached(id, slowIn ?? expects.printJobStatus!)

      expect(job.comment ?? undefined).toBe(expects.comment)
      if (!predefined?.startsWith('UAT REJECT ')) return
      const dryRun = await send({ ...request, path: `${request.path}/validate` }, fetchPatiently)
      expect(await dryRun.json()).toMatchObject({ verdict: 'rejected', comment: expects.comment })
      const { events } = await getJson<PrintJobEventsResponse>(`${id}/events`)
      expect(events.at(-1)?.findings?.map(({ detail }) => detail)).toEqual([expects.comment])
      const proof = await getPart(`${id}/proof.pdf`)
      const text = await readText(new Uint8Array(await proof.arrayBuffer()))
      expect(text.join('').replaceAll(/\s+/g, '')).toContain(
        expects.comment!.replaceAll(/\s+/g, ''),
      )
    },
  )
})

test('a predefined recipient is rejected in validation, even with a file that quarantine would refuse', async () => {
  const { request } = printJobs.find(({ predefined }) => predefined === 'UAT REJECT NOT A4')!
  const uploading = await aConsumer(baseUrl, consumer)
  const fileParams = [
    { fileId: 'scan', uploadId: await uploading.upload(Buffer.from('just text')) },
  ]
  const withText = { ...request, body: { ...request.body, fileParams } }

  const dryRun = await send({ ...withText, path: `${request.path}/validate` }, fetchPatiently)
  const response = await send(withText)

  const { id } = (await response.json()) as { id: string }
  const { comment } = await reached(id, 'REJECTED')
  expect(comment).toMatch(/^Page 1 of file \w+ is 297 × 210 mm/)
  expect(await dryRun.json()).toMatchObject({ verdict: 'rejected', comment })
  expect((await getPart(`${id}/proof.pdf`)).status).toBe(200)
})

function nameOf({ api, predefined = '', title, request, expects }: Scenario): string {
  const { acceptPartialResponse = '' } = request.body
  return [api, predefined, title, acceptPartialResponse, expects.status].filter(Boolean).join(': ')
}

function send(
  { method, path, headers, body }: Scenario['request'],
  ask: typeof fetchPatiently = fetch,
): Promise<Response> {
  return ask(`${despatch.credentials.baseUrl}${path}`, {
    method,
    headers: { ...credentials, ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Gets a print job, or a part of it. */
function getPart(path: string): Promise<Response> {
  const jobs = `${despatch.credentials.baseUrl}/print-request/v1/print/jobs`
  return fetchPatiently(`${jobs}/${path}`, { headers: credentials })
}

async function getJson<Body>(path: string): Promise<Body> {
  return (await getPart(path)).json() as Promise<Body>
}

function reached(id: string, status: string): Promise<{ comment?: string | null }> {
  return eventually(
    async () => {
      const job = await getJson<{ status: string; comment?: string | null }>(id)
      if (job.status !== status) throw new Error(`it is ${job.status}: ${job.comment}`)
      return job
    },
    { deadlineMs: 60_000, message: `the print job is ${status}` },
  )
}
