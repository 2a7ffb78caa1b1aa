import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openClientCertificates } from '../src/outbound/client-certificates.ts'
import { aProxy } from './a-proxy.ts'
import { selfSigned, selfSignedKey, startReceivers } from './receivers.ts'

const { directory } = await shared(aDirectory())
const receivers = startReceivers()
afterEach(() => receivers.close())
const before = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...before, selfSigned]))
afterAll(() => setDefaultCACertificates(before))

const address = '127.0.0.1'
const resolve = async () => [{ address, family: 4 }]
const onError = (error: Error) => {
  throw error
}

/** A receiver that accepts only callers with the certificate, and says who called on each connection. */
async function aStrictReceiver() {
  const callers: (string | undefined)[] = []
  const port = await receivers.serveTls(
    (socket: Socket) => {
      callers.push((socket as TLSSocket).getPeerX509Certificate()?.subject)
      socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
    },
    { requestCert: true, rejectUnauthorized: true, ca: [selfSigned, secondCertificate] },
  )
  return { origin: `https://receiver.example:${port}`, callers }
}

async function aConsumer(given?: { pem: string }): Promise<string> {
  const consumerId = randomUUID()
  if (given) await writeFile(join(directory, `${consumerId}.pem`), given.pem)
  return consumerId
}
const pem = `${selfSigned}\n${selfSignedKey}\n`

/** Self-signed too. Its key protects nothing. */
const secondCertificate = `-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIUeA3hfLsUyMblrT76c8GvfO3ATv8wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOc2Vjb25kLmV4YW1wbGUwIBcNMjYxMTI0MjAxNTQwWhgPMjEy
NjEwMzEyMDE1NDBaMBkxFzAVBgNVBAMMDnNlY29uZC5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAELnX5cApSsOl+JL4c9bpR5xdwI25HdyHipj3vnaRp
zm8D/DoReJq+c2vjyq1QzWgXFFS4o4no51WbJjh+Jk28uqNTMFEwHQYDVR0OBBYE
FPHlp/JZ3IRI+9ZRobp0w+P4aH/fMB8GA1UdIwQYMBaAFPHlp/JZ3IRI+9ZRobp0
w+P4aH/fMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAJTK4Y+3
1xQTi8mSJjnM5j1Vm+DBjQb39IlkBNCSKtmLAiEA8+J1Aed+3nrLY2u3h30XeK2I
qCSX2M6QsaosgowvLE4=
-----END CERTIFICATE-----`
const secondPem = `${secondCertificate}
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgztXMCG3a4tn6xdJi
mopSjjRmGDujgimN++Z5aCOLvlqhRANCAAQudflwClKw6X4kvhz1ulHnF3Ajbkd3
IeKmPe+dpGnObwP8OhF4mr5za+PKrVDNaBcUVLijiejnVZsmOH4mTby6
-----END PRIVATE KEY-----
`

test('a consumer with a certificate presents it on separate connections, and no other consumer does', async () => {
  const [known, unknown] = [await aConsumer({ pem }), await aConsumer()]
  const { origin, callers } = await aStrictReceiver()
  const certificates = openClientCertificates(directory, { onError })
  const post = receivers.outboundTo({ certificates, resolve })

  expect(await post(origin, { consumerId: known })).toMatchObject({ outcome: 'delivered' })
  expect(await post(origin, { consumerId: unknown })).not.toMatchObject({ outcome: 'delivered' })
  expect(callers).toEqual(['CN=receiver.example'])
})

test('two consumers call one receiver with their own certificates', async () => {
  const [first, second] = [await aConsumer({ pem }), await aConsumer({ pem: secondPem })]
  const { origin, callers } = await aStrictReceiver()
  const certificates = openClientCertificates(directory, { onError })
  const post = receivers.outboundTo({ certificates, resolve })

  for (const consumerId of [first, second, first]) await post(origin, { consumerId })

  expect(new Set(callers)).toEqual(new Set(['CN=receiver.example', 'CN=second.example']))
})

test('a file that is not named after a consumer is reported, and other files are used', async () => {
  const own = await aDirectory()
  onTestFinished(own.close)
  const errors: Error[] = []
  const certificates = openClientCertificates(own.directory, {
    onError: (error) => errors.push(error),
    listedMs: 0,
  })
  const consumerId = randomUUID()
  await writeFile(join(own.directory, 'north-bank.pem'), pem)
  await writeFile(join(own.directory, `${consumerId}.pem`), pem)

  expect(certificates.has(consumerId)).toBe(true)
  expect(errors).toMatchObject([{ message: expect.stringContaining('north-bank.pem') }])
})

test('a certificate also works through a proxy', async () => {
  const consumerId = await aConsumer({ pem })
  const { origin, callers } = await aStrictReceiver()
  const proxy = new URL(`http://${address}:${(await aProxy()).port}`)
  const certificates = openClientCertificates(directory, { onError })
  const post = receivers.outboundTo({ certificates, proxy, resolve })

  expect(await post(origin, { consumerId })).toMatchObject({ outcome: 'delivered', address })
  expect(callers).toEqual(['CN=receiver.example'])
})

test('a certificate is used once its file exists, and not after the file is deleted', async () => {
  const { origin } = await aStrictReceiver()
  const certificates = openClientCertificates(directory, { onError, listedMs: 0 })
  const post = receivers.outboundTo({ certificates, resolve })
  const consumerId = await aConsumer()
  const outcome = async () => (await post(origin, { consumerId })).outcome

  expect(await outcome()).not.toBe('delivered')
  await writeFile(join(directory, `${consumerId}.pem`), pem)
  expect(await outcome()).toBe('delivered')
  await rm(join(directory, `${consumerId}.pem`))
  expect(await outcome()).not.toBe('delivered')
})

test('an unusable file is a fault of ours, and calls continue once the file is repaired', async () => {
  const consumerId = await aConsumer({ pem })
  const { origin } = await aStrictReceiver()
  const certificates = openClientCertificates(directory, { onError })
  const post = receivers.outboundTo({ certificates, resolve })
  await writeFile(join(directory, `${consumerId}.pem`), selfSigned)

  expect(await post(origin, { consumerId })).toMatchObject({
    result: { kind: 'fault' },
    outcome: 'connection_failed',
  })
  await writeFile(join(directory, `${consumerId}.pem`), pem)
  await eventually(async () => (await post(origin, { consumerId })).outcome === 'delivered', {
    message: 'calls go on',
  })
})

test('a call without TLS needs no certificate', async () => {
  const consumerId = await aConsumer({ pem })
  const port = await receivers.serve((_request, response) => response.writeHead(204).end())
  const certificates = openClientCertificates(directory, { onError })
  const post = receivers.outboundTo({ certificates, resolve })

  const answer = await post(`http://receiver.example:${port}`, { consumerId })

  expect(answer).toMatchObject({ outcome: 'delivered' })
})

test.for<[what: string, name: string, content: string, message: RegExp]>([
  ['no key', `${randomUUID()}.pem`, selfSigned, /^client certificate .+\.pem: ERR_OSSL_\w+$/],
  [
    'another name',
    'north-bank.pem',
    pem,
    /^client certificate north-bank\.pem: not named <consumerId>\.pem$/,
  ],
])('a file with %s is refused at the start', async ([, name, content, message]) => {
  const own = await aDirectory()
  onTestFinished(own.close)
  await writeFile(join(own.directory, 'notes.txt'), 'ignored')
  openClientCertificates(own.directory, { onError })
  await writeFile(join(own.directory, name), content)

  expect(() => openClientCertificates(own.directory, { onError })).toThrow(message)
})

test('an unreadable directory is reported, and its certificates stay in use', async () => {
  const own = await aDirectory()
  const consumerId = randomUUID()
  await writeFile(join(own.directory, `${consumerId}.pem`), pem)
  const errors: unknown[] = []
  const certificates = openClientCertificates(own.directory, {
    onError: (error) => errors.push(error),
    listedMs: 0,
  })
  await own.close()

  expect(certificates.has(consumerId)).toBe(true)
  expect(errors).toMatchObject([{ code: 'ENOENT' }])
})

async function aDirectory() {
  const made = await mkdtemp(join(tmpdir(), 'despatch-certificates-'))
  return { directory: made, close: () => rm(made, { recursive: true, force: true }) }
}
