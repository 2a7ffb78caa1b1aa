import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { ReceiverAnswer } from '../../stack/callbacks/recording-receiver.ts'
import type { ReceiverPlan } from '../run-under-faults.ts'
import type { Scenario } from './scenario.ts'

const mebibyte = 1024 * 1024
const residentBytesMax = 512 * mebibyte
const retryWindowSeconds = 30
const chunk = Buffer.alloc(64 * 1024, 'x')

/** Writes for as long as the connection is open. */
function writeOn(response: ServerResponse, bytes: Buffer, pauseMs = 0): void {
  if (response.destroyed) return
  const next = () => writeOn(response, bytes, pauseMs)
  if (pauseMs > 0) {
    response.write(bytes)
    setTimeout(next, pauseMs).unref()
  } else if (response.write(bytes)) setImmediate(next)
  else response.once('drain', next)
}

/** Writes header lines without end, directly to the socket: the server's own response cannot do that. */
function writeHeaders(response: ServerResponse): void {
  const { socket } = response
  socket?.write('HTTP/1.1 200 OK\r\n')
  const next = () => {
    if (socket?.destroyed !== false) return
    if (socket.write(`x-filler: ${'x'.repeat(1000)}\r\n`)) setTimeout(next, 5).unref()
    else socket.once('drain', next)
  }
  next()
}

const withHead =
  (head: Record<string, string>, write: (response: ServerResponse) => void) =>
  (response: ServerResponse) => {
    response.writeHead(200, head)
    write(response)
  }

/** The status alone decides the outcome. The rest of the answer does not matter. */
const answers: Record<string, ReceiverAnswer> = {
  'fails always': { status: 500 },
  'drips its body': {
    status: 200,
    write: withHead({}, (response) => writeOn(response, Buffer.from('.'), 200)),
  },
  'never answers': { status: 200, delayMs: 60_000, isCut: true },
  'sends headers without end': { status: 500, write: writeHeaders },
  'sends a body without end': {
    status: 200,
    write: withHead({}, (response) => writeOn(response, chunk)),
  },
  'sends a gzip bomb': {
    status: 200,
    write: withHead({ 'content-encoding': 'gzip' }, (response) => writeOn(response, chunk)),
  },
  'redirects to an internal address': {
    status: 302,
    write: (response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end()
    },
  },
  'is gone': { status: 410 },
  'asks for years of patience': {
    status: 503,
    write: (response) => {
      response.writeHead(503, { 'retry-after': '99999999' }).end()
    },
  },
  'resets after it has accepted': {
    status: 204,
    write: (response) => {
      response.writeHead(204).flushHeaders()
      response.socket?.resetAndDestroy()
    },
  },
}

const receivers: ReceiverPlan[] = [
  {},
  ...Object.values(answers).map((answer) => ({ answer: () => answer })),
  // it does not speak TLS
  { target: (origin) => origin.replace('http:', 'https:') },
]

export const hostileReceivers: Scenario = {
  number: 23,
  name: 'receivers fail, drip, hang, redirect inwards, answer without end, lie about their size, speak no TLS',
  holds:
    'I5 I6 I9 I10; other receivers are called as usual, and the last attempt is at the end of its window',
  queues: 'once',
  isOnce: true,
  plan: {
    receivers,
    retryWindowSeconds,
    mayDie: true,
    // the retry windows, and the last call
    recoveryMsMax: (retryWindowSeconds + 30) * 1_000,
    strike: (world) => world.blow('letters whose receivers are hostile', () => world.pause(6_000)),
    judge: async ({ database, fleet }) => {
      const { rows } = await database.pool.query<{ address: string }>(
        `select distinct address from callback_attempt where address is not null and address not like '%127.0.0.1'`,
      )
      const called = rows.map(({ address }) => ({
        rule: 'nothing but its target is connected to',
        subject: address,
        detail: 'was connected to',
      }))
      const resident = await Promise.all(
        fleet.deliverers.map(async (deliverer) => ({
          name: deliverer.name,
          bytes: await residentBytes(deliverer.pid()),
        })),
      )
      const large = resident
        .filter(({ bytes }) => bytes > residentBytesMax)
        .map(({ name, bytes }) => ({
          rule: 'memory is bounded',
          subject: name,
          detail: `has ${Math.round(bytes / mebibyte)} MiB`,
        }))
      return [...called, ...large]
    },
  },
}

/**
 * Returns the resident memory of a process in bytes. Only Linux provides it; elsewhere this returns 0 and nothing is
 * judged.
 */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}
