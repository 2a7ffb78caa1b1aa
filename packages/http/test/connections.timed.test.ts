import { expect, onTestFinished, test } from 'vitest'
import { anApi, askFromElsewhere, attackers, closing, openMany } from './many-connections.ts'

/** Without the limits, one that asks waits until the others are given up. */
const quicklyMs = 9_000

const slowHeaders = 'GET /things HTTP/1.1\r\nhost: x\r\nx-a'
const slowBody = `${[
  'POST /things/v1/things HTTP/1.1',
  'host: x',
  'content-type: application/json',
  'content-length: 900',
].join('\r\n')}\r\n\r\n{`

test('slow headers and bodies do not keep other callers out, and are closed after ten seconds', async () => {
  const [headers, bodies] = await Promise.all([anApi(), anApi({ requestsMax: 100 })])
  const sockets = [
    ...(await openMany(headers.port, attackers, slowHeaders)),
    ...(await openMany(bodies.port, attackers, slowBody)),
  ]
  const dripping = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ')
  }, 500)
  onTestFinished(() => clearInterval(dripping))

  expect(await askFromElsewhere(headers.port, AbortSignal.timeout(quicklyMs))).toBe(200)
  expect(await askFromElsewhere(bodies.port, AbortSignal.timeout(quicklyMs))).toBe(200)
  await closing(sockets)
})
