import type { LookupAddress } from 'node:dns'
import type { RequestListener } from 'node:http'
import { parseRange } from '@despatch/domain/callback/may-call'
import { afterEach, expect, test } from 'vitest'
import { createResolve, type ResolveOptions } from '../src/outbound/resolve.ts'
import { type DnsAnswer, startDnsServer } from './dns-server.ts'
import { loopback, startReceivers } from './receivers.ts'

const receivers = startReceivers()
const closers: (() => void)[] = []
const noSuchName = 3

afterEach(async () => {
  await receivers.close()
  for (const close of closers.splice(0)) close()
})

/**
 * Resolves with a name server that answers from a table. Each question gets its answers in turn, then the last one
 * again.
 */
async function resolveWith(
  table: Record<string, DnsAnswer[]>,
  options: Partial<ResolveOptions> = {},
) {
  const dns = await startDnsServer((question) => {
    const answers = table[question] ?? [{ code: noSuchName }]
    return (answers.length > 1 ? answers.shift() : answers[0])!
  })
  closers.push(dns.close)
  const resolve = createResolve({ searchesToo: false, servers: [dns.server], ...options })
  return { resolve, questions: dns.questions }
}

const v4 = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }))
const v6 = (...addresses: string[]) => addresses.map((address) => ({ address, family: 6 }))

test('asks for both kinds of address, and caches nothing', async () => {
  const { resolve, questions } = await resolveWith({
    'A a.example': [{ addresses: ['192.0.2.1', '192.0.2.2'] }],
    'AAAA a.example': [{ addresses: ['2001:db8::1'] }],
  })

  const found = await resolve('a.example')
  await resolve('A.example.')

  expect(found).toEqual([...v4('192.0.2.1', '192.0.2.2'), ...v6('2001:db8::1')])
  expect(questions.map((question) => question.toLowerCase()).toSorted()).toEqual([
    'a a.example',
    'a a.example',
    'aaaa a.example',
    'aaaa a.example',
  ])
})

test('concurrent callers share one answer', async () => {
  const { resolve, questions } = await resolveWith({
    'A a.example': [{ addresses: ['192.0.2.1'] }],
  })

  const found = await Promise.all([resolve('a.example'), resolve('a.example')])

  expect(found).toEqual([v4('192.0.2.1'), v4('192.0.2.1')])
  expect(questions).toHaveLength(2)
})

const tables: [name: string, table: Record<string, DnsAnswer[]>, found: LookupAddress[]][] = [
  ['only AAAA', { 'AAAA a.example': [{ addresses: ['2001:db8::1'] }] }, v6('2001:db8::1')],
  [
    'a server that fails for AAAA',
    { 'A a.example': [{ addresses: ['192.0.2.1'] }], 'AAAA a.example': [{ code: 2 }] },
    v4('192.0.2.1'),
  ],
  [
    'a server that is silent about AAAA',
    { 'A a.example': [{ addresses: ['192.0.2.1'] }], 'AAAA a.example': ['silence'] },
    v4('192.0.2.1'),
  ],
]

test.for(tables)('%s is enough', async ([, table, found]) => {
  const { resolve } = await resolveWith(table, { deadlineMs: 2_000 })

  expect(await resolve('a.example')).toEqual(found)
})

const failures: [name: string, answer: DnsAnswer, code: string, isFaultOfOurs: boolean][] = [
  ['a name that does not exist', { code: 3 }, 'ENOTFOUND', false],
  ['a name without addresses', {}, 'ENODATA', false],
  ['a server that fails', { code: 2 }, 'ESERVFAIL', true],
  ['a server that refuses', { code: 5 }, 'EREFUSED', true],
  ['a server that is silent', 'silence', 'ETIMEOUT', true],
]

test.for(failures)('%s', async ([, answer, code, isFaultOfOurs]) => {
  const table = { 'A a.example': [answer], 'AAAA a.example': [answer] }
  const { resolve } = await resolveWith(table, { deadlineMs: answer === 'silence' ? 500 : 30_000 })

  await expect(resolve('a.example')).rejects.toMatchObject({
    name: 'NotResolved',
    code,
    isFaultOfOurs,
  })
})

test('an unavailable name server is a fault of ours', async () => {
  const { resolve } = await resolveWith({}, { servers: ['127.0.0.1:1'] })

  await expect(resolve('a.example')).rejects.toMatchObject({ isFaultOfOurs: true })
})

test('a missing AAAA answer without addresses is a fault of ours', async () => {
  const table: Record<string, DnsAnswer[]> = { 'AAAA a.example': ['silence'] }
  const { resolve } = await resolveWith(table, { deadlineMs: 300 })

  await expect(resolve('a.example')).rejects.toMatchObject({
    code: 'ETIMEOUT',
    isFaultOfOurs: true,
  })
})

test('finds the names of the machine without DNS', async () => {
  const { resolve, questions } = await resolveWith({})

  expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
  expect(questions).toEqual([])
})

test('asks the machine about two names at a time, each within the deadline', async () => {
  let underWay = 0
  let most = 0
  const asked: string[] = []
  const { resolve } = await resolveWith(
    {},
    {
      deadlineMs: 200,
      askMachine: (name) => {
        asked.push(name)
        underWay += 1
        most = Math.max(most, underWay)
        return new Promise(() => {})
      },
    },
  )

  const answers = await Promise.allSettled(['one', 'two', 'three'].map(resolve))

  expect(answers.map((answer) => (answer as PromiseRejectedResult).reason.code)).toEqual(
    Array.from({ length: 3 }, () => 'ETIMEOUT'),
  )
  expect([asked, most]).toEqual([['one', 'two'], 2])
})

test('asks the machine about names unknown to DNS only if they may be private', async () => {
  const askMachine = async () => v4('10.0.0.1')
  const never = await resolveWith({}, { askMachine })
  const too = await resolveWith({}, { askMachine, searchesToo: true })

  await expect(never.resolve('svc.cluster')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(await too.resolve('svc.cluster')).toEqual(v4('10.0.0.1'))
})

/** A receiver on loopback that must see no connection. */
async function aForbiddenReceiver() {
  let connections = 0
  const port = await receivers.serveTcp((socket) => {
    connections += 1
    socket.destroy()
  })
  return { port, connections: () => connections }
}

test('a name that changes to a forbidden address between two attempts is not called', async () => {
  const { port, connections } = await aForbiddenReceiver()
  // 127.0.0.2 plays the public address. It closes each connection, so that each attempt resolves the name again.
  const listener: RequestListener = (request, response) => {
    request.resume()
    response.writeHead(204, { connection: 'close' }).end()
  }
  await receivers.serve(listener, '127.0.0.2', port)
  const table = {
    'A flips.example': [
      { addresses: ['127.0.0.2'] },
      { addresses: ['127.0.0.1'] },
      { addresses: ['127.0.0.2', '127.0.0.1'] },
    ],
  }
  const { resolve } = await resolveWith(table)
  const post = receivers.outboundTo({ allowed: [parseRange('127.0.0.2/32')!], resolve })

  const answers = []
  for (let attempt = 0; attempt < 3; attempt++) {
    answers.push(await post(`http://flips.example:${port}`))
  }

  expect(answers.map(({ outcome, address }) => [outcome, address])).toEqual([
    ['delivered', '127.0.0.2'],
    ['blocked_address', undefined],
    ['delivered', '127.0.0.2'],
  ])
  expect(answers[1]?.result).toEqual({ kind: 'unreached' })
  expect(connections()).toBe(0)
})

test('connects to the resolved address without a second lookup', async () => {
  const allowed = [loopback[0]!]
  const port = await receivers.serve((request, response) => {
    request.resume()
    response.end()
  })
  const table = { 'A flips.example': [{ addresses: ['127.0.0.1'] }, { addresses: ['10.0.0.1'] }] }
  const { resolve, questions } = await resolveWith(table)
  const post = receivers.outboundTo({ allowed, resolve })

  const answer = await post(`http://flips.example:${port}`)

  expect(answer).toMatchObject({ outcome: 'delivered', address: '127.0.0.1' })
  expect(questions.filter((question) => question === 'A flips.example')).toHaveLength(1)
})

test('calls only the allowed addresses of a mixed answer', async () => {
  const port = await receivers.serve((request, response) => {
    request.resume()
    response.end()
  })
  const table = {
    'A mixed.example': [{ addresses: ['10.0.0.1', '169.254.169.254', '127.0.0.1'] }],
    'AAAA mixed.example': [{ addresses: ['fd00:ec2::254', '::1'] }],
  }
  const { resolve } = await resolveWith(table)

  const open = await receivers.outboundTo({ resolve })(`http://mixed.example:${port}`)
  const shut = await receivers.outboundTo({ resolve, allowed: [] })(`http://mixed.example:${port}`)

  expect(open).toMatchObject({ outcome: 'delivered', address: '127.0.0.1' })
  expect(shut).toEqual({
    result: { kind: 'unreached' },
    outcome: 'blocked_address',
    failure: 'ForbiddenAddress',
  })
})
