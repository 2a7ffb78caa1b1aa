import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { aSlowPdf } from '@despatch/testing/a-slow-pdf'
import { Agent, request } from 'undici'
import { answerParent } from '../child.ts'
import { letterOf } from '../intake/requests.ts'
import { type HostilePlan, type HostileResult, submitPath, validatePath } from './neighbours.ts'

/** Four consumers, each hostile in its own way and with its own connections. */
answerParent(attack)

// Neighbours have machines of their own: here they take only the processor time that the measured programs leave.
setPriority(constants.priority.PRIORITY_LOW)

const connections = 8
const bracketBytes = 12_000_000
/** A consumer that cannot reach its rate sends as fast as it is answered. */
const requestMsMax = 30_000

/** Each file differs from all others, so that no verdict on it is known. */
function withSlowPdf(number: number, id?: string): string {
  const file = Buffer.concat([aSlowPdf(), Buffer.from(`%${number}\n`)])
  const value = file.toString('base64')
  return JSON.stringify({ ...letterOf(id), customParams: [{ key: 'scan', value }] })
}
const brackets = '['.repeat(bracketBytes)

type Request = { method: 'GET' | 'POST'; path: string; body?: string }

/** What each consumer sends, by the number of the request, which no other has. */
const hostile: Readonly<Record<string, (number: number) => Request>> = {
  'letters at the rate of its plan': (number) => ({
    method: 'POST',
    path: submitPath,
    body: JSON.stringify(letterOf(`flood-${number}`)),
  }),
  'reads of letters that do not exist': (number) => ({
    method: 'GET',
    path: `${submitPath}/absent-${number}`,
  }),
  'bodies of 12 MB of brackets': () => ({ method: 'POST', path: submitPath, body: brackets }),
  'PDF files that are slow to paint, in dry runs and letters': (number) =>
    number % 2 === 0
      ? { method: 'POST', path: validatePath, body: withSlowPdf(number) }
      : { method: 'POST', path: submitPath, body: withSlowPdf(number, `slow-${number}`) },
}

let numbered = 0

/** Sends until the time is over. Each consumer paces itself to the rate of its plan. */
async function attack({
  origin,
  headers,
  requestsPerSecond,
  seconds,
}: HostilePlan): Promise<HostileResult> {
  const endMs = performance.now() + seconds * 1_000
  const answers: HostileResult = {}
  await Promise.all(
    Object.entries(hostile).map(async ([name, requestOf], index) => {
      const agent = new Agent({ connections })
      const counts: Record<string, number> = {}
      answers[name] = counts
      let sent = 0
      const startedMs = performance.now()
      const keepSending = async () => {
        while (performance.now() < endMs) {
          const dueMs = startedMs + (sent * 1_000) / requestsPerSecond
          await pause(Math.max(0, dueMs - performance.now()))
          sent += 1
          numbered += 1
          const { path, ...rest } = requestOf(numbered)
          const answer = await request(`${origin}${path}`, {
            ...rest,
            dispatcher: agent,
            headers: headers[index]!,
            headersTimeout: requestMsMax,
          })
            .then(async ({ statusCode, body }) => {
              await body.dump()
              return String(statusCode)
            })
            .catch(() => 'closed')
          counts[answer] = (counts[answer] ?? 0) + 1
        }
      }
      await Promise.all(Array.from({ length: connections }, keepSending))
      await agent.destroy()
    }),
  )
  return answers
}
