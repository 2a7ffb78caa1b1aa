import { request } from 'node:http'
import { aSlowPdf } from '@despatch/testing/a-slow-pdf'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { type Answer, aPrintRequest, aRequest, type TestCaller } from './a-print-request.ts'

const sliceMs = 1_000
/** How many dry runs of one consumer may wait. */
const waitingMax = 8
/** Less than the file may take of processor time. */
const timeoutMs = 4_000
const path = 'jobs/validate'

const limited = await shared(aPrintRequest({ DESPATCH_CHECK_TIMEOUT_MS: String(timeoutMs) }))
const patient = await shared(aPrintRequest({ DESPATCH_CHECK_TIMEOUT_MS: '50000' }))

const slow = Buffer.from(aSlowPdf()).toString('base64')
const aSlowRequest = () => aRequest({ customParams: [{ key: 'scan', value: slow }] })
const dryRun = (by: TestCaller, body = aRequest()) => by.call({ method: 'POST', path, body })

async function timed(by: TestCaller): Promise<number> {
  const startedMs = performance.now()
  const { status } = await dryRun(by)
  expect(status).toBe(200)
  return performance.now() - startedMs
}

/** Waits until so many dry runs have got a thread, or have ended their wait in another way. */
async function waitsOf(service: typeof limited, outcome: string, count: number): Promise<void> {
  const line = new RegExp(
    `^work_wait_seconds_count\\{(?=[^}]*work="dry-run")[^}]*outcome="${outcome}"[^}]*\\} (\\d+)$`,
    'm',
  )
  await eventually(
    async () => {
      const { rawPayload } = await service.get('/metrics', {})
      return Number(line.exec(rawPayload.toString())?.[1] ?? 0) >= count
    },
    { message: `${count} dry runs are ${outcome}` },
  )
}

describe('beside eight hostile PDFs of another consumer', () => {
  const quickMs: number[] = []
  const besideMs: number[] = []
  let answers: Answer[] = []

  test('a dry run takes three times its usual time and a slice at most', async () => {
    const [hostile, quick] = [await limited.aCaller(), await limited.aCaller()]
    // the first starts a thread each
    await Promise.all([timed(quick), timed(hostile)])
    for (let run = 0; run < 3; run += 1) quickMs.push(await timed(quick))

    const all = Promise.all(Array.from({ length: 8 }, () => dryRun(hostile, aSlowRequest())))
    await waitsOf(limited, 'started', 6)
    for (let run = 0; run < 3; run += 1) besideMs.push(await timed(quick))
    answers = await all

    expect(Math.max(...besideMs)).toBeLessThan(3 * Math.max(...quickMs) + sliceMs)
  })

  test('each of these is answered 503 once its time is over', () => {
    const said = answers.map(({ status, headers, body }) => ({
      ...{ status, retryAfter: headers['retry-after'], body },
    }))

    const detail = 'The print job could not be validated or drawn within 4 seconds'
    const error = { status: '503 SERVICE_UNAVAILABLE', code: 'ServiceUnavailable', detail }
    expect(said).toEqual(Array(8).fill({ status: 503, retryAfter: '2', body: { errors: [error] } }))
  })
})

test('a caller that disconnects frees its thread, and waits no longer', async () => {
  const caller = await patient.aCaller()
  const origin = await patient.listen()
  const running = send(origin, caller, aSlowRequest())
  await waitsOf(patient, 'started', 1)
  const waiting = Array.from({ length: waitingMax + 1 }, () => send(origin, caller, aRequest()))
  // the last of them finds no room, so the others wait by now
  await waitsOf(patient, 'full', 1)

  for (const each of [running, ...waiting]) each.destroy()
  await waitsOf(patient, 'left', waitingMax)
  // the limit is 50 s, and one consumer has one thread
  const startedMs = performance.now()
  const { status } = await dryRun(caller)

  expect(status).toBe(200)
  expect(performance.now() - startedMs).toBeLessThan(20_000)
})

function send(origin: string, { headers }: TestCaller, body: unknown) {
  const sent = request(`${origin}/print-request/v1/print/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
  })
  sent.on('error', () => {})
  sent.end(JSON.stringify(body))
  return sent
}
