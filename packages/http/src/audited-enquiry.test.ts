import { once } from 'node:events'
import { connect } from 'node:net'
import type { Enquiry } from '@despatch/domain/enquiry/audited-enquiry'
import { Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { aSmallApi, statuses } from '../test/a-small-api.ts'
import type { Api } from './api.ts'
import { auditEnquiries, describeEnquiry, enquiryPurposeParameter } from './audited-enquiry.ts'
import type { ErrorRenderer } from './error-handler.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const numberHash = Buffer.alloc(32, 7)
const caller = { consumerId: 'c1', apiKeyHash: Buffer.alloc(32), roles: ['consumer'] as const }

/** An API with one enquiry route, whose outcome the body sets, and the enquiries that it audited. */
async function anEnquiryApi({ audit }: { audit?: (enquiry: Enquiry) => Promise<void> } = {}) {
  const audited: Enquiry[] = []
  const renderer: ErrorRenderer = {
    renderProblem: ({ kind, faults }) => ({
      status: statuses[kind] ?? 418,
      body: { kind, fields: faults.map(({ field }) => field) },
    }),
    renderFault: (errorId) => ({ status: 500, body: { errorId } }),
  }
  const { api, lines } = await aSmallApi({
    prefix: '/enquiries',
    openapi: {
      title: 'Enquiries',
      description: 'To test with',
      version: '1.0.0',
      parameters: { enquiryPurpose: enquiryPurposeParameter },
    },
    authenticate: ({ 'x-api-key': key }) => {
      if (key === 'right') return caller
      if (key === 'busy') return { ...caller, consumerId: 'busy' }
      if (key === 'wrong service') throw new Problem('not-permitted', 'Not for this service')
      throw new Problem('not-authenticated', 'Say who you are')
    },
    limit: ({ caller: limited }) => ({
      windows: [{ name: 'second', requests: 1, seconds: 1 }],
      left: [],
      ...(limited?.consumerId === 'busy' && {
        refusal: {
          reason: 'rate' as const,
          retryAfterSeconds: 1,
          problem: new Problem('too-many-requests', 'Too many'),
        },
      }),
    }),
    ...renderer,
  })
  auditEnquiries(api, {
    service: 'vehicle-enquiry',
    audit: audit ?? (async (enquiry) => void audited.push(enquiry)),
    ...renderer,
  })
  addRoutes(api)
  return { api, audited, lines }
}

function addRoutes(api: Api): void {
  api.route({
    method: 'POST',
    url: '/enquiries/v1/things',
    schema: { body: z.object({ number: z.string(), ends: z.string().optional() }) },
    handler: async (request, reply) => {
      const { number, ends = 'found' } = request.body
      describeEnquiry(request, { numberHash, asked: ['includeCPC'] })
      if (ends === 'fault') throw new Error(`disk of ${number} is full`)
      if (ends in statuses) throw new Problem(ends as Problem['kind'], 'It ended so')
      if (ends === 'unwritable') return { number: 1n }
      reply.header('x-total-count', '3')
      if (ends === 'partial') describeEnquiry(request, { outcome: 'partial' })
      if (ends === 'none') describeEnquiry(request, { outcome: 'not-found', results: 0 })
      return { number, secret: 'RECORD' }
    },
  })
  api.route({
    method: 'GET',
    url: '/enquiries/v1/open',
    config: { open: true },
    handler: async (request) => {
      describeEnquiry(request, { asked: ['nothing'] })
      return {}
    },
  })
}

const headers = { 'x-api-key': 'right', 'x-correlation-id': 'request-1' }
const post = { method: 'POST', url: '/enquiries/v1/things', headers } as const
const json = { ...headers, 'content-type': 'application/json' }

const known = {
  consumerId: 'c1',
  service: 'vehicle-enquiry',
  correlationId: 'request-1',
  purpose: null,
} as const
const described = { ...known, numberHash, asked: ['includeCPC'], results: null }
const unread = { ...known, numberHash: null, asked: [], results: null }

test.for<[ends: string, row: Pick<Enquiry, 'status' | 'outcome'> & { results?: number }]>([
  ['found', { status: 200, outcome: 'found' }],
  ['partial', { status: 200, outcome: 'partial' }],
  ['none', { status: 200, outcome: 'not-found', results: 0 }],
  ['invalid-field', { status: 400, outcome: 'refused' }],
  ['not-permitted', { status: 403, outcome: 'refused' }],
  ['vehicle-not-found', { status: 404, outcome: 'not-found' }],
  ['fault', { status: 500, outcome: 'failed' }],
  ['unwritable', { status: 500, outcome: 'failed' }],
  ['source-failed', { status: 502, outcome: 'failed' }],
  ['source-unavailable', { status: 503, outcome: 'failed' }],
  ['source-timed-out', { status: 504, outcome: 'failed' }],
])('audits once an enquiry that ends as %s', async ([ends, row]) => {
  const { api, audited } = await anEnquiryApi()

  const answer = await api.inject({ ...post, body: { number: 'AA19AAA', ends } })

  expect(answer.statusCode).toBe(row.status)
  expect(audited).toEqual([{ ...described, ...row }])
})

test.for<[what: string, request: object, status: number]>([
  ['a body that the schema refuses', { ...post, body: { number: 5 } }, 400],
  ['no body', post, 400],
  ['a body that is not JSON', { ...post, headers: json, body: '{"AA19' }, 400],
  ['a body that is not UTF-8', { ...post, headers: json, body: Buffer.from([0x22, 0xff]) }, 400],
  ['a body over the limit', { ...post, body: { number: 'x'.repeat(1_000) } }, 413],
  [
    'another content type',
    { ...post, headers: { ...json, 'content-type': 'text/plain' }, body: 'a' },
    415,
  ],
])('audits %s as refused', async ([, request, status]) => {
  const { api, audited } = await anEnquiryApi()

  const answer = await api.inject(request)

  expect(answer.statusCode).toBe(status)
  expect(audited).toEqual([{ ...unread, status, outcome: 'refused' }])
})

test.for<[what: string, request: object, status: number]>([
  ['nobody', { ...post, headers: {}, body: { number: 'a' } }, 401],
  ['a caller of another service', { ...post, headers: { 'x-api-key': 'wrong service' } }, 403],
  ['an unknown address', { ...post, url: '/enquiries/v1/nothing' }, 404],
  ['a caller over its limits', { ...post, headers: { 'x-api-key': 'busy' } }, 429],
  ['an open route', { url: '/enquiries/v1/open' }, 200],
  ['the description', { url: '/enquiries/v1/openapi.json' }, 200],
])('does not audit %s', async ([, request, status]) => {
  const { api, audited } = await anEnquiryApi()

  const answer = await api.inject(request)

  expect({ status: answer.statusCode, audited }).toEqual({ status, audited: [] })
})

test.for([
  ['case 2026/17: renewal', 200, 'case 2026/17: renewal'],
  ['', 400, null],
  ['x'.repeat(65), 400, null],
  ['somebody@example.org', 400, null],
] as const)(
  'the purpose %j is answered with %i and audited as %j',
  async ([given, status, purpose]) => {
    const { api, audited } = await anEnquiryApi()

    const answer = await api.inject({
      ...post,
      headers: { ...headers, 'x-enquiry-purpose': given },
      body: { number: 'AA19AAA' },
    })

    expect(answer.statusCode).toBe(status)
    if (status === 400) {
      expect(answer.json()).toEqual({ kind: 'invalid-field', fields: ['X-Enquiry-Purpose'] })
    }
    expect(audited).toEqual([
      status === 400
        ? { ...unread, status, outcome: 'refused' }
        : { ...described, status, outcome: 'found', purpose },
    ])
  },
)

test('answers only when the enquiry has been audited', async () => {
  const written = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { api } = await anEnquiryApi({
    audit: () => {
      asked.resolve()
      return written.promise
    },
  })
  let isAnswered = false
  const answer = api.inject({ ...post, body: { number: 'AA19AAA' } }).then((response) => {
    isAnswered = true
    return response
  })

  await asked.promise
  await new Promise((resolve) => setImmediate(resolve))
  expect(isAnswered).toBe(false)
  written.resolve()
  expect((await answer).json()).toEqual({ number: 'AA19AAA', secret: 'RECORD' })
})

test('answers 503 without its result while the audit database is unavailable', async () => {
  const { api, lines } = await anEnquiryApi({
    audit: async () => {
      throw Object.assign(new Error('SECRET'), { code: 'ECONNREFUSED' })
    },
  })

  const answer = await api.inject({ ...post, body: { number: 'AA19AAA' } })

  expect(answer.statusCode).toBe(503)
  expect(answer.headers['retry-after']).toMatch(/^[2-5]$/)
  expect(answer.json()).toEqual({ kind: 'unavailable', fields: [] })
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'request.served',
      level: 'warn',
      dependency: 'database',
      fault: 'ECONNREFUSED',
    }),
  ])
})

test.for(['found', 'vehicle-not-found', 'fault', 'unwritable'])(
  'gives only an error id when an enquiry that ends as %s cannot be audited',
  async (ends) => {
    let tries = 0
    const { api, lines } = await anEnquiryApi({
      audit: async () => {
        tries += 1
        throw new Error('no disk')
      },
    })

    const answer = await api.inject({ ...post, body: { number: 'AA19AAA', ends } })

    const { errorId } = answer.json()
    expect({ status: answer.statusCode, body: answer.json(), tries }).toEqual({
      status: 500,
      body: { errorId: expect.stringMatching(uuid) },
      tries: 1,
    })
    expect(Object.keys(answer.headers).sort()).toEqual([
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'date',
      'ratelimit-policy',
      'x-content-type-options',
      'x-correlation-id',
    ])
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(lines.find(({ msg }) => msg === 'enquiry-audit.failed')).toMatchObject({
      errorId,
      err: { message: 'no disk' },
    })
    expect(lines.find(({ msg }) => msg === 'request.served')).toMatchObject({
      status: 500,
      errorId,
    })
  },
)

test('audits an enquiry whose caller leaves before the answer', async () => {
  const audited: Enquiry[] = []
  const asked = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const { api, lines } = await anEnquiryApi({
    audit: async (enquiry) => void audited.push(enquiry),
  })
  api.route({
    method: 'POST',
    url: '/enquiries/v1/slow',
    handler: async () => {
      asked.resolve()
      await gone.promise
      return {}
    },
  })
  const address = new URL(await api.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(address.port), address.hostname)
  await once(socket, 'connect')

  socket.write('POST /enquiries/v1/slow HTTP/1.1\r\nhost: x\r\nx-api-key: right\r\n\r\n')
  await asked.promise
  socket.destroy()
  await expect.poll(() => lines.map(({ msg }) => msg)).toContain('request.aborted')
  gone.resolve()

  await expect.poll(() => audited).toMatchObject([{ consumerId: 'c1', status: 200 }])
})

test('describes the header of the purpose with every operation', async () => {
  const { api } = await anEnquiryApi()
  await api.ready()

  expect(api.swagger()).toMatchObject({
    components: { parameters: { enquiryPurpose: { name: 'X-Enquiry-Purpose', in: 'header' } } },
    paths: {
      '/enquiries/v1/things': {
        post: {
          parameters: [
            { $ref: '#/components/parameters/correlationId' },
            { $ref: '#/components/parameters/enquiryPurpose' },
          ],
        },
      },
    },
  })
})
