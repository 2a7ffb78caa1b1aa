import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { answerParent } from '../child.ts'
import { percentile } from '../statistics.ts'
import type { SendPlan, SendResult } from './day.ts'
import { openSession, type Session } from './session.ts'

/** All senders of a day. Each has its own credentials and connections, and sends its share of the letters. */
answerParent(send)

const largeEvery = 10
/** The end of a file, after its last object: comments may be there. */
const tailOf = (number: number) => Buffer.from(`\n%${String(number).padStart(9, '0')}\n`)

/** What all senders share. */
type Sending = {
  plan: SendPlan
  small: Buffer
  large: Buffer
  sent: number
  latenciesMs: number[]
  refusals: Record<string, number>
}
/** A sender: what it calls with, and where its callbacks go. */
type Caller = { agent: Agent; session: Session; callbackTarget: string }

async function send(plan: SendPlan): Promise<SendResult> {
  const [small, large] = [readFileSync(plan.smallPath), readFileSync(plan.largePath)]
  const sending: Sending = { plan, small, large, sent: 0, latenciesMs: [], refusals: {} }
  const callers = plan.senders.map(({ callbackTarget, ...credentials }): Caller => {
    const agent = new Agent({ connections: plan.connectionsPerSender })
    const session = openSession(agent, { origin: plan.accessOrigin, ...credentials })
    return { agent, session, callbackTarget }
  })
  const startedAt = performance.now()
  await Promise.all(
    callers.flatMap((caller) =>
      Array.from({ length: plan.connectionsPerSender }, () => keepSending(sending, caller)),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  await Promise.all(callers.map(({ agent }) => agent.close()))
  const latenciesMs = sending.latenciesMs.toSorted((a, b) => a - b)
  const [p50Ms, p99Ms] = [50, 99].map((percent) => percentile(latenciesMs, percent))
  return { seconds, p50Ms: p50Ms!, p99Ms: p99Ms!, refusals: sending.refusals }
}

async function keepSending(sending: Sending, caller: Caller): Promise<void> {
  const { plan, small, large, latenciesMs } = sending
  while (sending.sent < plan.letters) {
    const number = ++sending.sent
    const file = Buffer.concat([number % largeEvery === 0 ? large : small, tailOf(number)])
    latenciesMs.push(await sendLetter(sending, caller, { number, file }))
  }
}

/** Uploads the file and submits the letter. Returns the milliseconds without the pauses after refusals. */
async function sendLetter(
  { plan, refusals }: Sending,
  { agent, session, callbackTarget }: Caller,
  { number, file }: { number: number; file: Buffer },
): Promise<number> {
  let pausedMs = 0
  /** Sends a request again after Retry-After when it is refused for the time being. Throws if it fails otherwise. */
  async function call(ask: () => Promise<Dispatcher.ResponseData>): Promise<unknown> {
    for (;;) {
      const { statusCode, headers, body } = await ask()
      const text = await body.text()
      if (statusCode < 300) return text && JSON.parse(text)
      const seconds = Number(headers['retry-after'])
      if ((statusCode !== 429 && statusCode !== 503) || !(seconds >= 0)) {
        throw new Error(`A request was answered ${statusCode} ${text}`)
      }
      refusals[statusCode] = (refusals[statusCode] ?? 0) + 1
      pausedMs += seconds * 1_000
      await pause(seconds * 1_000)
    }
  }

  const startedAt = performance.now()
  const print = `${plan.intakeOrigin}/print-request/v1/print`
  const upload = await call(async () =>
    request(`${print}/files/upload-url`, { dispatcher: agent, headers: await session.headers() }),
  )
  const { uploadId, url } = upload as { uploadId: string; url: string }
  await call(() => request(url, { dispatcher: agent, method: 'PUT', body: file }))
  const body = JSON.stringify(letterOf(number, uploadId, callbackTarget))
  await call(async () =>
    request(`${print}/jobs`, {
      dispatcher: agent,
      method: 'POST',
      headers: { ...(await session.headers()), 'content-type': 'application/json' },
      body,
    }),
  )
  return performance.now() - startedAt - pausedMs
}

/** Each letter has another recipient. */
function letterOf(number: number, uploadId: string, target: string) {
  return {
    id: `day-${number}`,
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      businessIdentifier: `CASE-${number}`,
      recipientName: `Ms Rosalind Appleyard ${number}`,
      address: {
        unstructuredAddress: { line1: '12 Mill Lane', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
    fileParams: [{ fileId: 'letter', uploadId }],
    callbackParams: { target, authenticationHeader: 'Bearer of-the-sender' },
  }
}
