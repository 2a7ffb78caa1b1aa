import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openVirusScanner } from '../src/virus-scanner.ts'
import { aScriptedScanner } from './scripted-scanner.ts'

const mebibyte = 1024 * 1024

async function* content(...chunks: Uint8Array[]) {
  yield* chunks
}

/** Reads everything up to the empty chunk and then answers. */
const answering = (answer: string | Buffer) => (socket: Socket) => {
  let last = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    last = Buffer.concat([last, bytes.subarray(-4)]).subarray(-4)
    if (last.equals(Buffer.alloc(4))) socket.end(answer)
  })
}

test.each<[name: string, reason: string, script: (socket: Socket) => void]>([
  ['hangs up at once', 'broken', (socket) => socket.destroy()],
  ['hangs up without an answer', 'broken', answering('')],
  ['stops in the middle of its answer', 'broken', answering('stream: O')],
  ['answers rubbish', 'broken', answering(Buffer.from('\xff\xfe\x00\x01\0', 'latin1'))],
  ['never ends its answer', 'broken', (socket) => socket.write('x'.repeat(10_000))],
  ['fails', 'broken', answering("stream: Can't open file ERROR\0")],
  ['is content too early', 'broken', (socket) => socket.write('stream: OK\0')],
  ['never answers', 'timeout', () => {}],
  ['never reads', 'timeout', (socket) => socket.pause()],
  [
    'has had enough before the end',
    'limit',
    (socket) => socket.once('data', () => socket.write('INSTREAM size limit exceeded. ERROR\0')),
  ],
])('a scanner that %s gives no verdict: %s', async (_, reason, script) => {
  await using server = await aScriptedScanner(script)
  // a busy machine needs longer than 300 ms to send the file
  const timeoutMs = reason === 'timeout' ? 300 : 20_000
  const scanner = openVirusScanner(server.url, { timeoutMs })

  const scan = scanner.scan(content(Buffer.alloc(8 * mebibyte, 'a')))

  await expect(scan).rejects.toMatchObject({ name: 'ScanFailed', reason })
})

test('a scan and a health check fail when the scanner is unreachable', async () => {
  const server = await aScriptedScanner(() => {})
  await server[Symbol.asyncDispose]()
  const scanner = openVirusScanner(server.url)
  const unreachable = { name: 'ScanFailed', reason: 'unreachable' }

  await expect(scanner.scan(content(Buffer.from('a')))).rejects.toMatchObject(unreachable)
  await expect(scanner.check()).rejects.toMatchObject(unreachable)
})

test('a server that answers differently is not accepted as a scanner', async () => {
  await using server = await aScriptedScanner((socket) => socket.write('HTTP/1.1 400 \0'))

  await expect(openVirusScanner(server.url).check()).rejects.toMatchObject({ reason: 'broken' })
})

test('reads no more of a file than the buffers hold while the scanner does not read', async () => {
  await using server = await aScriptedScanner((socket) => socket.pause())
  const scanner = openVirusScanner(server.url, { timeoutMs: 500 })
  let takenBytes = 0
  let isClosed = false
  async function* endless() {
    try {
      for (;;) {
        takenBytes += 65_536
        yield Buffer.alloc(65_536)
      }
    } finally {
      isClosed = true
    }
  }

  await expect(scanner.scan(endless())).rejects.toMatchObject({ reason: 'timeout' })

  expect(takenBytes).toBeLessThan(16 * mebibyte)
  expect(isClosed).toBe(true)
})

test('a file that cannot be read completely fails with its own error, and is never clean', async () => {
  await using server = await aScriptedScanner(answering('stream: OK\0'))
  async function* torn() {
    yield Buffer.from('a')
    throw new Error('the upload was torn')
  }

  await expect(openVirusScanner(server.url).scan(torn())).rejects.toThrow('the upload was torn')
})

test('an aborted scan ends immediately', async () => {
  await using server = await aScriptedScanner(() => {})
  const unwanted = new AbortController()
  const scan = openVirusScanner(server.url).scan(content(Buffer.from('a')), {
    signal: unwanted.signal,
  })

  unwanted.abort(new Error('the step was taken over'))

  await expect(scan).rejects.toThrow('the step was taken over')
})

test('an empty chunk is skipped, because it would end the file', async () => {
  const received: Buffer[] = []
  await using server = await aScriptedScanner((socket) => {
    socket.on('data', (bytes) => received.push(bytes))
    answering('stream: OK\0')(socket)
  })

  const verdict = await openVirusScanner(server.url).scan(
    content(Buffer.from('ab'), Buffer.alloc(0), Buffer.from('c')),
  )

  expect(verdict).toEqual({ kind: 'clean' })
  expect(Buffer.concat(received).toString('latin1')).toBe(
    'zINSTREAM\0\0\0\0\x02ab\0\0\0\x01c\0\0\0\0',
  )
})
