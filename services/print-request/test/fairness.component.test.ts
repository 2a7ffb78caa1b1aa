import { request } from 'node:http'
import { aSlowPdf } from '@despatch/testing/a-slow-pdf'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, type TestCaller } from './a-print-request.ts'
import { aScanner } from './a-scanner.ts'

/** How many dry runs of one consumer may wait. */
const waitingMax = 8
const path = 'jobs/validate'

/** Answers only once its files are checked, or its caller has left. */
const patient = { DESPATCH_CHECK_TIMEOUT_MS: '50000' }

const withFile = (value: string) => aRequest({ customParams: [{ key: 'scan', value }] })
/** A file that differs from the others, because one that took too long is refused at once when it comes again. */
const aSlowRequest = (number = 0) =>
  withFile(Buffer.from(`${Buffer.from(aSlowPdf())}% ${number}`).toString('base64'))
const dryRun = (by: TestCaller, body = aRequest()) => by.call({ method: 'POST', path, body })

type Service = Awaited<ReturnType<typeof aPrintRequest>>

/** Waits until so many dry runs have got a thread, or have ended their wait in another way. */
async function waitsOf(service: Service, outcome: string, count: number): Promise<void> {
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

test('a dry run does not wait for eight hostile PDFs of another consumer', async () => {
  const service = await shared(aPrintRequest(patient))
  const [hostile, quick] = [await service.aCaller(), await service.aCaller()]
  const origin = await service.listen()
  let ended = 0
  const sent = Array.from({ length: 8 }, (_, number) =>
    send(origin, hostile, aSlowRequest(number)).once('response', () => {
      ended += 1
    }),
  )
  onTestFinished(() => {
    for (const each of sent) each.destroy()
  })
  await waitsOf(service, 'started', 1)

  for (let run = 0; run < 3; run += 1) expect(await dryRun(quick)).toMatchObject({ status: 200 })

  // the eight take far more processor time than the three
  expect(ended).toBeLessThan(4)
})

test('a dry run that exceeds the time limit is answered with 503', async () => {
  const hasty = await shared(aPrintRequest({ DESPATCH_CHECK_TIMEOUT_MS: '1000' }))

  const { status, headers, body } = await dryRun(await hasty.aCaller(), aSlowRequest())

  const detail = 'The print job could not be validated or drawn within 1 seconds'
  const error = { status: '503 SERVICE_UNAVAILABLE', code: 'ServiceUnavailable', detail }
  expect({ status, retryAfter: headers['retry-after'], body }).toEqual({
    status: 503,
    retryAfter: '2',
    body: { errors: [error] },
  })
})

test('a caller that disconnects frees its slot or stops waiting', async () => {
  const scanner = await shared(aScanner({ isHeld: true }))
  const service = await shared(aPrintRequest({ ...patient, CLAMAV_URL: scanner.url }))
  const caller = await service.aCaller()
  const origin = await service.listen()
  const running = send(origin, caller, withFile(aPng))
  await waitsOf(service, 'started', 1)
  const waiting = Array.from({ length: waitingMax + 1 }, () => send(origin, caller, aRequest()))
  // the last of them finds no room, so the others wait by now
  await waitsOf(service, 'full', 1)

  for (const each of [running, ...waiting]) each.destroy()
  await waitsOf(service, 'left', waitingMax)

  // the scanner never answers, and one consumer has one place
  expect(await dryRun(caller)).toMatchObject({ status: 200 })
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
