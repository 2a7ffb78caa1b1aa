import { readFileSync } from 'node:fs'
import { Client } from 'undici'
import { type Sender, serveLoads } from '../load-generator.ts'
import { type Body, type LoadPlan, mark } from './load.ts'

const drainMs = 30_000
const bodiesOfFiles = new Map<string, Buffer[]>()

serveLoads(openSender)

async function openSender(plan: LoadPlan): Promise<Sender> {
  const client = new Client(plan.origin, { headersTimeout: drainMs, bodyTimeout: drainMs })
  const bodyOf = bodies(plan.body)
  return {
    send: (number) => send(client, plan.path, headersOf(plan, number), bodyOf(number)),
    close: () => client.close(),
  }
}

function headersOf({ headers, headersInTurn = [] }: LoadPlan, number: number) {
  return { ...headers, ...headersInTurn[number % headersInTurn.length] }
}

function bodies(body: Body): (number: number) => Buffer {
  if (typeof body !== 'string') {
    const lines = bodiesOf(body.path)
    return (number) => lines[number % lines.length]!
  }
  const bytes = Buffer.from(body)
  const markAt = bytes.indexOf(mark)
  return (number) => {
    bytes.write(String(number).padStart(mark.length, '0'), markAt)
    return bytes
  }
}

function bodiesOf(path: string): Buffer[] {
  let lines = bodiesOfFiles.get(path)
  if (!lines) {
    lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => Buffer.from(line))
    bodiesOfFiles.set(path, lines)
  }
  return lines
}

/** Returns the status after the whole answer has arrived. */
function send(
  client: Client,
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0
    client.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart: () => {},
        onResponseStart: (_controller, statusCode) => {
          status = statusCode
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}
