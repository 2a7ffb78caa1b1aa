import { administrationPath } from '@despatch/contracts/administration/paths'
import { type Agent, request } from 'undici'
import type { Caller, KnownLetter, System } from './system.ts'

/** An operation that changes nothing. */
export type Read = {
  name: string
  /** Calls in one round. */
  calls: number
  call(system: System, number: number, agent: Agent): Promise<unknown>
}

const listCalls = 30
const reportCalls = 3

/** The reads that are compared: status, lists, searches and the volume report of a month. */
export const reads: readonly Read[] = [
  {
    name: 'status of a letter',
    calls: 200,
    call: ({ printRequest, ownIds }, number, agent) =>
      ask(agent, printRequest, `/print-request/v1/print/jobs/${ownIds[number % ownIds.length]}`),
  },
  list('list, PENDING', () => ({ status: 'PENDING' })),
  list('list, PRODUCTION', () => ({ status: 'PRODUCTION' })),
  list('list, DESPATCHED', () => ({ status: 'DESPATCHED' })),
  list('list, REJECTED', () => ({ status: 'REJECTED' })),
  list('list, consumer', ({ consumerId }) => ({ consumerId })),
  list('list, held', () => ({ only: 'held' })),
  list('list, parked', () => ({ only: 'parked' })),
  get('list, print runs', '/print-runs'),
  get('list, print runs in production', '/print-runs?state=IN_PRODUCTION'),
  get('list, callbacks', '/callbacks'),
  get('list, dead callbacks', '/callbacks?state=DEAD'),
  list('search, id', ({ id }) => ({ find: id })),
  list('search, document', ({ documentId }) => ({ find: documentId })),
  get('volume report of a month', () => `/volumes?${monthBefore(new Date())}`, reportCalls),
]

function list(name: string, search: (letter: KnownLetter) => object): Read {
  return {
    name,
    calls: listCalls,
    call: ({ administration, letters }, number, agent) =>
      ask(agent, administration, `${administrationPath}/print-jobs/search`, {
        limit: 50,
        ...search(letters[number % letters.length]!),
      }),
  }
}

function get(name: string, path: string | (() => string), calls = listCalls): Read {
  const pathOf = typeof path === 'string' ? () => path : path
  return {
    name,
    calls,
    call: ({ administration }, _number, agent) =>
      ask(agent, administration, `${administrationPath}${pathOf()}`),
  }
}

const dayMs = 24 * 60 * 60 * 1000

/** Returns the query of 31 days that ended a month ago, so that all their letters are finished. */
function monthBefore(now: Date): string {
  const [from, to] = [60, 30].map((days) =>
    new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10),
  )
  return `from=${from}&to=${to}`
}

/** Returns the answer. Throws if its status is not 200. */
export async function ask(
  agent: Agent,
  { origin, headers }: Caller,
  path: string,
  body?: object,
): Promise<string> {
  const answer = await request(`${origin}${path}`, {
    dispatcher: agent,
    method: body ? 'POST' : 'GET',
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
  return text
}
