import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { presign, signCall } from '../../test/signed-request.ts'
import { checkSignature, type Signed } from './check-signature.ts'
import { parseRequest } from './parse-request.ts'
import { type Operation, readOperation } from './read-operation.ts'
import { S3Error } from './s3-error.ts'

const requestsTried = Number(
  process.env.SIGNED_REQUESTS ?? byEffort({ landing: 4_000, full: 100_000 }),
)
const now = new Date('2026-03-01T12:00:00Z')
const region = 'eu-west-2'
const bucket = 'letters'
const key = { accessKeyId: 'OURS', secretAccessKey: 'secret' }
const endpoint = 'http://127.0.0.1:9000'
const signer = { ...key, region, bucket, endpoint }
const signedAt = now

type Raw = { method: string; url: string; headers: IncomingHttpHeaders }

/** What the server does with a request: its operation, whether a link limits it, and the SHA-256 of its body. */
function accept(raw: Raw): Signed & { operation: Operation } {
  const parsed = parseRequest(raw)
  const signed = checkSignature(parsed, { key, region, now })
  return { ...signed, operation: readOperation(parsed, signed, bucket) }
}

function link(options: Parameters<typeof presign>[1]): Raw {
  const { method = 'GET', headers } = options
  const url = presign(signer, { signedAt, ...options }).slice(endpoint.length)
  return { method, url, headers: { host: new URL(endpoint).host, ...headers } }
}

function call(options: Parameters<typeof signCall>[1]): Raw {
  const { method, url, headers } = signCall(signer, { signedAt, ...options })
  return { method, url: url.slice(endpoint.length), headers }
}

const copySource = 'letters/files/a%20b'
const requests: [string, Raw][] = [
  ['an upload link', link({ method: 'PUT', key: 'uploads/1', query: { 'x-id': 'PutObject' } })],
  [
    'an upload link for a length',
    link({ method: 'PUT', key: 'uploads/1', headers: { 'content-length': '5' } }),
  ],
  [
    'a download link',
    link({
      key: "documents/ä (1)'!*.pdf",
      query: { 'response-content-disposition': 'inline; filename="a b.pdf"' },
    }),
  ],
  ['a read', call({ method: 'GET', key: 'files/a b' })],
  [
    'a write',
    call({ method: 'PUT', key: 'files/1', body: 'x', headers: { 'content-type': 'a/b' } }),
  ],
  ['a deletion', call({ method: 'DELETE', key: 'files/1' })],
  [
    'a copy',
    call({
      method: 'PUT',
      key: 'files/2',
      headers: { 'x-amz-copy-source': copySource, 'x-amz-copy-source-if-match': '"a"' },
    }),
  ],
  [
    'a list',
    call({ method: 'GET', query: { 'list-type': '2', prefix: 'uploads/', 'max-keys': '7' } }),
  ],
  ['a list of all', call({ method: 'GET', query: { 'list-type': '2' } })],
  [
    'a copy of a key with a blank',
    call({ method: 'PUT', key: 'Files/Ab', headers: { 'x-amz-copy-source': 'letters/A b' } }),
  ],
  ['a deletion of several', call({ method: 'POST', query: { delete: '' }, body: '<Delete/>' })],
]

const aPut = { kind: 'put', contentType: 'application/octet-stream', onlyIfAbsent: false }
const whole = { range: undefined, ifMatch: undefined, ifRange: undefined }
const aGet = { kind: 'get', withBody: true, ...whole, contentDisposition: undefined }
const operations = [
  { ...aPut, key: 'uploads/1', digests: [] },
  { ...aPut, key: 'uploads/1', digests: [] },
  {
    ...aGet,
    key: "documents/ä (1)'!*.pdf",
    contentDisposition: 'inline; filename="a b.pdf"',
  },
  { ...aGet, key: 'files/a b' },
  { ...aPut, key: 'files/1', contentType: 'a/b', digests: [sha256Of('x')] },
  { kind: 'delete', key: 'files/1' },
  { kind: 'copy', from: 'files/a b', key: 'files/2', ifMatch: '"a"' },
  { kind: 'list', prefix: 'uploads/', after: '', keysMax: 7 },
  { kind: 'list', prefix: '', after: '', keysMax: 1_000 },
  { kind: 'copy', from: 'A b', key: 'Files/Ab', ifMatch: undefined },
  { kind: 'delete-several', digests: [sha256Of('<Delete/>')] },
]

function sha256Of(body: string) {
  const code = 'XAmzContentSHA256Mismatch'
  return { algorithm: 'sha256', expected: hash('sha256', body), code }
}

test.each(requests.map(([name, raw], index) => ({ name, raw, operation: operations[index] })))(
  'accepts a request as it was signed: $name',
  ({ raw, operation }) => {
    expect(accept(raw).operation).toEqual(operation)
  },
)

/** Parameters, headers and pieces of addresses that have a meaning in S3 or in a file system. */
const parameters = [
  'uploadId=..%2F..%2Fx&partNumber=1',
  'x-amz-copy-source=letters%2Fsecret',
  'X-Amz-Copy-Source=%2Fletters%2Fsecret',
  'uploads',
  'delete',
  'acl',
  'tagging',
  'list-type=2',
  'prefix=a',
  'max-keys=1',
  'versionId=1',
  'response-content-disposition=attachment',
  'response-content-type=text%2Fhtml',
  'X-Amz-Expires=604800',
  'X-Amz-SignedHeaders=host%3Bx-amz-acl',
  'X-Amz-Content-Sha256=UNSIGNED-PAYLOAD',
  'X-Amz-Security-Token=a',
  'x-id=DeleteObject',
]
const pieces = ['?', '&', '#', '/', '//', '/../', '/./', '%2F', '%2e%2e', '%00', '%', '%zz', '\\']
const alphabet = 'aA1/?&=%.;+-_~# "\\'
const headers: [string, string][] = [
  ['x-amz-copy-source', '/letters/secret'],
  ['x-amz-copy-source-if-match', '"b"'],
  ['x-amz-content-sha256', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'],
  ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
  ['x-amz-acl', 'public-read'],
  ['x-amz-meta-a', 'b'],
  ['x-amz-date', '20260301T120001Z'],
  ['x-amz-checksum-crc32', 'AAAAAA=='],
  ['x-amz-decoded-content-length', '0'],
  ['x-http-method-override', 'DELETE'],
  ['host', 'another'],
  ['range', 'bytes=0-1'],
  ['if-range', '"a"'],
  ['if-match', '"a"'],
  ['if-none-match', '*'],
  ['content-md5', 'XUFAKrxLKna5cZ2REBfFkg=='],
  ['content-type', 'text/html'],
  ['expect', '100-continue'],
  ['content-length', '6'],
]

const anAddedParameter: fc.Arbitrary<(raw: Raw) => Raw> = fc
  .constantFrom(...parameters)
  .map((text) => (raw) => ({
    ...raw,
    url: `${raw.url}${raw.url.includes('?') ? '&' : '?'}${text}`,
  }))

const anAddressChange: fc.Arbitrary<(raw: Raw) => Raw> = fc
  .record({
    at: fc.nat(),
    removed: fc.nat({ max: 3 }),
    inserted: fc.oneof(
      fc.constantFrom(...pieces),
      fc.constantFrom(...parameters.flatMap((text) => [`?${text}`, `?&${text}`])),
      fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 4 }),
    ),
    isAtEnd: fc.boolean(),
  })
  .map(({ at, removed, inserted, isAtEnd }) => (raw) => {
    const from = isAtEnd ? raw.url.length : at % (raw.url.length + 1)
    return { ...raw, url: raw.url.slice(0, from) + inserted + raw.url.slice(from + removed) }
  })

const aChangeOfCase: fc.Arbitrary<(raw: Raw) => Raw> = fc.nat().map((number) => (raw) => {
  const at = number % raw.url.length
  const letter = raw.url[at]!
  const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
  return { ...raw, url: raw.url.slice(0, at) + other + raw.url.slice(at + 1) }
})

const aMethodChange: fc.Arbitrary<(raw: Raw) => Raw> = fc
  .constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'get')
  .map((method) => (raw) => ({ ...raw, method }))

const aHeaderChange: fc.Arbitrary<(raw: Raw) => Raw> = fc.oneof(
  fc.constantFrom(...headers).map(([name, value]) => (raw: Raw) => ({
    ...raw,
    headers: { ...raw.headers, [name]: value },
  })),
  fc.nat().map((index) => (raw: Raw) => {
    const names = Object.keys(raw.headers)
    const { [names[index % names.length]!]: _, ...rest } = raw.headers
    return { ...raw, headers: rest }
  }),
  fc
    .record({ index: fc.nat(), at: fc.nat(), added: fc.constantFrom(' ', 'a', '/', ';host', ',') })
    .map(({ index, at, added }) => (raw: Raw) => {
      const names = Object.keys(raw.headers)
      const name = names[index % names.length]!
      const value = String(raw.headers[name])
      const from = at % (value.length + 1)
      const changed = value.slice(0, from) + added + value.slice(from)
      return { ...raw, headers: { ...raw.headers, [name]: changed } }
    }),
)

test(`of ${requestsTried} changed requests, each is refused or is the operation that was signed`, () => {
  const aChange = fc.oneof(
    { weight: 6, arbitrary: anAddressChange },
    { weight: 3, arbitrary: anAddedParameter },
    { weight: 2, arbitrary: aChangeOfCase },
    { weight: 1, arbitrary: aMethodChange },
    { weight: 3, arbitrary: aHeaderChange },
  )
  const changed = fc.record({
    request: fc.constantFrom(...requests.map(([, raw]) => raw)),
    changes: fc.array(aChange, { minLength: 1, maxLength: 3 }),
  })
  fc.assert(
    fc.property(changed, ({ request, changes }) => {
      const raw = changes.reduce((before, change) => change(before), request)
      const outcome = attempt(raw)
      return outcome instanceof S3Error || isSameAs(outcome, accept(request))
    }),
    { numRuns: requestsTried },
  )
})

/**
 * Only what S3 lets the holder of a link choose by a header may differ: the type of the bytes, a part of them, and
 * conditions and digests, with which fewer requests succeed.
 */
const chosenByHolder = {
  contentType: undefined,
  range: undefined,
  ifMatch: undefined,
  ifRange: undefined,
  onlyIfAbsent: undefined,
  digests: undefined,
}

function isSameAs(a: ReturnType<typeof accept>, b: ReturnType<typeof accept>): boolean {
  const plain = ({ operation, ...signed }: ReturnType<typeof accept>) => ({
    operation: { ...operation, ...chosenByHolder },
    ...signed,
  })
  return isDeepStrictEqual(plain(a), plain(b))
}

function attempt(raw: Raw) {
  try {
    return accept(raw)
  } catch (error) {
    if (error instanceof S3Error) return error
    throw error
  }
}

describe('refuses a request with', () => {
  const upload = link({ method: 'PUT', key: 'uploads/1' })
  const write = call({ method: 'PUT', key: 'files/1', body: 'x' })
  const refusals: [string, Raw, string][] = [
    ['a second query', { ...upload, url: `${upload.url}?&uploadId=..&partNumber=y` }, 'InvalidURI'],
    [
      'an unsigned parameter',
      { ...upload, url: `${upload.url}&tagging=` },
      'SignatureDoesNotMatch',
    ],
    [
      'a parameter given twice',
      { ...upload, url: `${upload.url}&X-Amz-Expires=604800` },
      'InvalidURI',
    ],
    ['a broken escape', { ...upload, url: '/letters/%zz' }, 'InvalidURI'],
    ['an encoded slash', { ...upload, url: '/letters/a%2fb' }, 'InvalidURI'],
    ['an address with a host', { ...upload, url: `http://a${upload.url}` }, 'InvalidURI'],
    ['no signature', { ...upload, url: '/letters/uploads/1' }, 'AccessDenied'],
    [
      'a signature in both places',
      {
        ...upload,
        headers: { ...upload.headers, authorization: String(write.headers.authorization) },
      },
      'InvalidRequest',
    ],
    [
      'an unsigned header of Amazon',
      { ...upload, headers: { ...upload.headers, 'x-amz-acl': 'public-read' } },
      'AccessDenied',
    ],
    [
      'a signed header that nobody knows',
      call({ method: 'PUT', key: 'files/1', headers: { 'x-amz-acl': 'public-read' } }),
      'InvalidArgument',
    ],
    [
      'a signed parameter that nobody knows',
      link({ method: 'PUT', key: 'uploads/1', query: { uploadId: '1', partNumber: '1' } }),
      'InvalidArgument',
    ],
    [
      'a copy by a parameter, although it is signed',
      link({ method: 'PUT', key: 'uploads/1', query: { 'x-amz-copy-source': 'letters/secret' } }),
      'InvalidArgument',
    ],
    [
      'a body in signed pieces',
      call({
        method: 'PUT',
        key: 'files/1',
        headers: { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' },
      }),
      'InvalidRequest',
    ],
    ['a key above the bucket', call({ method: 'GET', key: '../key' }), 'InvalidArgument'],
    [
      'a file of the store itself',
      call({ method: 'GET', key: 'a._S3rver_object/b' }),
      'InvalidArgument',
    ],
    ['a key with a control character', call({ method: 'GET', key: 'a\u0000b' }), 'InvalidArgument'],
    [
      'a segment too long for a file',
      call({ method: 'GET', key: 'é'.repeat(101) }),
      'KeyTooLongError',
    ],
    [
      'a source above the bucket',
      call({ method: 'PUT', key: 'k', headers: { 'x-amz-copy-source': 'letters/..%2Fkey' } }),
      'InvalidArgument',
    ],
    [
      'a source in another bucket',
      call({ method: 'PUT', key: 'k', headers: { 'x-amz-copy-source': 'others/k' } }),
      'NoSuchBucket',
    ],
    [
      'another condition',
      call({ method: 'PUT', key: 'k', headers: { 'if-match': '"a"' } }),
      'InvalidArgument',
    ],
    [
      'an invalid digest',
      call({ method: 'PUT', key: 'k', headers: { 'content-md5': 'a' } }),
      'InvalidDigest',
    ],
    [
      'a version of the source',
      call({ method: 'PUT', key: 'k', headers: { 'x-amz-copy-source': 'letters/k?versionId=7' } }),
      'InvalidArgument',
    ],
    [
      'a disposition that is not a header',
      link({ key: 'k', query: { 'response-content-disposition': 'inline\r\nx: y' } }),
      'InvalidArgument',
    ],
    [
      'a type that is too long',
      { ...upload, headers: { ...upload.headers, 'content-type': 'x'.repeat(256) } },
      'InvalidArgument',
    ],
    [
      'a link whose parameters are a header',
      {
        ...upload,
        url: '/letters/uploads/1',
        headers: { ...upload.headers, authorization: asHeader(upload.url) },
      },
      'RequestTimeTooSkewed',
    ],
    [
      'a link of more than a week',
      link({ method: 'PUT', key: 'uploads/1', expiresSeconds: 604_801 }),
      'AccessDenied',
    ],
    [
      'a link without a time',
      { ...upload, url: upload.url.replace(/X-Amz-Date=\w+/, 'X-Amz-Date=') },
      'AccessDenied',
    ],
    [
      'a link of tomorrow',
      link({ method: 'PUT', key: 'uploads/1', signedAt: new Date(now.getTime() + 901_000) }),
      'AccessDenied',
    ],
    [
      'a link that has expired',
      link({ method: 'PUT', key: 'uploads/1', signedAt: new Date(now.getTime() - 61_000) }),
      'AccessDenied',
    ],
    [
      'a request of a quarter of an hour ago',
      call({ method: 'GET', key: 'k', signedAt: new Date(now.getTime() - 901_000) }),
      'RequestTimeTooSkewed',
    ],
    ['the list of all buckets', { ...call({ method: 'GET' }), url: '/' }, 'SignatureDoesNotMatch'],
  ]

  test.each(refusals)('%s', (_name, raw, code) => {
    expect(attempt(raw)).toMatchObject({ code })
  })
})

/** Moves the signature of a link to a header, which would free it from the limits of links. */
function asHeader(url: string): string {
  const query = new URL(url, endpoint).searchParams
  const [credential, names, signature] = ['Credential', 'SignedHeaders', 'Signature'].map((name) =>
    query.get(`X-Amz-${name}`),
  )
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
}

test('a link is valid until the last second of its lifetime', () => {
  const aMinuteAgo = new Date(now.getTime() - 60_000)
  expect(attempt(link({ method: 'PUT', key: 'uploads/1', signedAt: aMinuteAgo }))).toMatchObject({
    operation: { kind: 'put', key: 'uploads/1' },
  })
})
