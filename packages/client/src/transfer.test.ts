import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConsumerClient } from './consumer-client.ts'
import { ProviderClient } from './provider-client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const options = { baseUrl: 'https://a.example', userName: 'ada', password: 'p', apiKey: 'k' }

type Answer = (init: RequestInit) => Response | Promise<Response>

/** An API that signs everybody in and gives addresses 1, 2, 3 …, and a store that answers as told. */
function aStore(answer: Answer) {
  const used: string[] = []
  let addresses = 0
  const fetch = async (input: URL | string | Request, init: RequestInit = {}) => {
    const { host, pathname } = new URL(String(input))
    if (pathname.endsWith('/authenticate')) return Response.json({ 'id-token': 't' })
    if (host === 'a.example') {
      addresses += 1
      const url = `http://store.example/${addresses}`
      if (pathname.endsWith('/upload-url')) return Response.json({ uploadId: `u${addresses}`, url })
      return new Response(null, { status: 303, headers: { location: url } })
    }
    used.push(pathname)
    return answer(init)
  }
  return { used, fetch }
}

/** Reads what is sent, as a server does. */
const readBody = async ({ body }: RequestInit) =>
  new Uint8Array(await new Response(body as ReadableStream).arrayBuffer())

async function inTime<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  await vi.runAllTimersAsync()
  return promise
}

const never = () => new Promise<Response>(() => {})
const file = new TextEncoder().encode('hello')
const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const document = { documentId: 'D1', content: '/print-fulfilment/v1/d1', sha256 }

test('an upload continues with a new address when its address has expired', async () => {
  const answers = [403, 200]
  const { fetch, used } = aStore(() => new Response(null, { status: answers.shift()! }))

  expect(await inTime(new ConsumerClient({ ...options, fetch }).uploadFile(file))).toBe('u2')
  expect(used).toEqual(['/1', '/2'])
})

test('an upload fails after three expired addresses, and a stream is tried once', async () => {
  const { fetch, used } = aStore(() => new Response(null, { status: 403 }))
  const client = new ConsumerClient({ ...options, fetch })
  const stream = new Blob([file]).stream()

  await expect(inTime(client.uploadFile(file))).rejects.toMatchObject({ status: 403 })
  expect(used).toEqual(['/1', '/2', '/3'])
  const streamed = inTime(client.uploadFile({ stream, bytes: 5 }))
  await expect(streamed).rejects.toMatchObject({ status: 403 })
  expect(used).toHaveLength(4)
})

test('the time limit of an upload covers all attempts', async () => {
  const answers: Answer[] = [
    () => new Promise((_, reject) => setTimeout(() => reject(new TypeError('fetch failed')), 600)),
    never,
  ]
  const { fetch } = aStore((init) => answers.shift()!(init))
  const began = Date.now()
  const upload = new ConsumerClient({ ...options, fetch }).uploadFile(file, { timeoutMs: 1_000 })

  await expect(inTime(upload)).rejects.toMatchObject({ kind: 'timeout' })
  expect(Date.now() - began).toBe(1_000)
})

test('a file that cannot be read fails the upload with its own error, without a retry', async () => {
  const { fetch, used } = aStore(async (init) => {
    await readBody(init)
    return new Response()
  })
  const client = new ConsumerClient({ ...options, fetch })
  const stream = async function* () {
    yield file
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  const upload = (source: AsyncIterable<Uint8Array>, bytes: number) =>
    inTime(client.uploadFile({ stream: source, bytes }))
  const twice = async function* () {
    yield file
    yield file
  }

  await expect(upload(stream(), 9)).rejects.toThrow('no such file')
  await expect(upload(twice(), 9)).rejects.toThrow('the file is longer than announced')
  await expect(upload(twice(), 11)).rejects.toThrow('the file is shorter than announced')
  const onProgress = () => {
    throw new Error('a fault of the caller')
  }
  await expect(inTime(client.uploadFile(file, { onProgress }))).rejects.toThrow('of the caller')
  expect(used).toHaveLength(3)
})

/** A file whose second piece is read by the function that it is given, not before somebody wants it. */
class SlowFile extends Blob {
  readonly #readRest: () => Promise<Uint8Array<ArrayBuffer>>
  constructor(readRest: () => Promise<Uint8Array<ArrayBuffer>>) {
    super([file, 'rest'])
    this.#readRest = readRest
  }
  override stream() {
    const reads = [async () => file, this.#readRest]
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      const read = reads.shift()
      if (read) controller.enqueue(await read())
      else controller.close()
    }
    return new ReadableStream({ pull }, { highWaterMark: 0 })
  }
}

test.for<[string, { isCancelled: boolean; isReadable: boolean }]>([
  ['cancels the body', { isCancelled: true, isReadable: true }],
  ['lets it go on', { isCancelled: false, isReadable: true }],
  ['cancels the body of a file that then cannot be read', { isCancelled: true, isReadable: false }],
  ['lets a body go on that then cannot be read', { isCancelled: false, isReadable: false }],
])(
  'an upload is repeated if the store answers while the client still reads the file, and %s',
  async ([, how]) => {
    const rest = new TextEncoder().encode('rest')
    const late = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
    const isReading = Promise.withResolvers<void>()
    const reads = [late.promise, Promise.resolve(rest)]
    const progress: number[] = []
    let isFirst = true
    const { fetch, used } = aStore(async (init) => {
      if (!isFirst) {
        // the read of the first attempt ends during the second
        if (how.isReadable) late.resolve(rest)
        else late.reject(new Error('closed'))
        expect(await readBody(init)).toHaveLength(9)
        return new Response()
      }
      isFirst = false
      const reader = (init.body as ReadableStream).getReader()
      await reader.read()
      reader.read().catch(() => {})
      await isReading.promise
      if (how.isCancelled) reader.cancel().catch(() => {})
      return new Response(null, { status: 503 })
    })
    const slow = new SlowFile(() => {
      isReading.resolve()
      return reads.shift()!
    })
    const onProgress = ({ sentBytes }: { sentBytes: number }) => void progress.push(sentBytes)

    const upload = new ConsumerClient({ ...options, fetch }).uploadFile(slow, { onProgress })

    expect(await inTime(upload)).toBe('u1')
    expect(used).toEqual(['/1', '/1'])
    expect(progress).toEqual([0, 5, 0, 5, 9])
  },
)

test('a document with a wrong digest is downloaded only once', async () => {
  const { fetch, used } = aStore(() => new Response('other'))

  const download = new ProviderClient({ ...options, fetch }).getDocument(document)

  await expect(inTime(download)).rejects.toMatchObject({ kind: 'not-verified' })
  expect(used).toEqual(['/1'])
})

test('the download of a document has a longer time limit than other calls, and the caller can set it', async () => {
  const late: Answer = () =>
    new Promise((resolve) => setTimeout(() => resolve(new Response(file)), 100_000))
  const client = new ProviderClient({ ...options, fetch: aStore(late).fetch })

  expect(await inTime(client.getDocument(document))).toEqual(file)
  const limited = client.getDocument(document, { timeoutMs: 90_000 })
  await expect(inTime(limited)).rejects.toMatchObject({ kind: 'timeout' })
})
