import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { verifyCallback } from '@despatch/client/verify-callback'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { startHere } from './a-command-line.ts'
import { aPrintGateway } from './a-print-gateway.ts'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const gateway = await shared(aPrintGateway(running.databaseUrl))
const environment = { DESPATCH_DATA_DIR: running.directory }

type Received = { headers: Record<string, string | string[] | undefined>; body: Buffer }

/** A receiver that keeps what it gets, and answers with `status`, or never. */
async function aReceiver(status: number | 'never' = 204) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await buffer(request) })
    if (status !== 'never') response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`
  const close = () => {
    if (status === 'never') server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url, received, close }
}

/** Inserts a delivered callback without a print job, as for a test message. */
async function aCallback(comment: string): Promise<string> {
  const id = crypto.randomUUID()
  const message = { id, data: { sequence: 1, comment }, metadata: { correlationId: 'c-1' } }
  await running.pool.query(
    `insert into callback (id, consumer_id, sequence, kind, body, origin, state, attempts, owed_since, ended_at)
     values ($1, $2, 1, 'test', $3, 'https://a.example', 'DELIVERED', 1, now(), now())`,
    [id, running.consumer.consumerId, JSON.stringify(message)],
  )
  return id
}

/** Starts to listen, and waits until it does. Returns the secret that it prints. */
async function listen(to: string, ...options: string[]) {
  const started = startHere(
    ['listen', '--to', to, '--base-url', gateway.url, ...options],
    environment,
  )
  const secret = await eventually(() => /whsec_\S+/.exec(started.said.stderr)?.[0], {
    message: 'the command listens',
  })
  return { ...started, secret }
}

const idsOf = (received: readonly Received[]) =>
  received.map(({ headers }) => headers['webhook-id'])

test('new callbacks are copied with a signature, until Ctrl-C', async () => {
  const old = await aCallback('before')
  const { url, received, close } = await aReceiver()
  const listening = await listen(url, '--replay', '1')
  await eventually(() => received.length === 1, { message: 'the last one is copied' })

  const id = await aCallback('now')
  await eventually(() => received.length === 2, { message: 'a new one is copied' })
  await running.pool.query('update callback set replays = replays + 1 where id = $1', [id])
  await eventually(() => listening.said.stdout.match(/delivered \(204\)/g)?.length === 3, {
    message: 'one that is sent again is copied, and its answer printed',
  })
  listening.interrupt()
  const { code } = await listening.ended

  expect(code).toBe(0)
  expect(idsOf(received)).toEqual([old, id, id])
  const { headers, body } = received[1]!
  const message = await verifyCallback({ headers, body, secrets: [listening.secret] })
  expect(message).toMatchObject({ id, data: { comment: 'now' } })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'despatch-callbacks',
    'x-correlation-id': 'c-1',
  })
  const others = ['accept', 'accept-language', 'sec-fetch-mode']
  expect(Object.keys(headers).filter((name) => others.includes(name))).toEqual([])
  await close()
})

test('a receiver that does not answer does not end it, and --json prints the results at the end', async () => {
  const { url, close } = await aReceiver()
  await close()
  const failing = await listen(url)
  const id = await aCallback('to nobody')
  await eventually(() => failing.said.stdout.includes(`${id}  test  -  no answer (connect`), {
    message: 'the attempt is shown',
  })
  failing.interrupt()
  expect((await failing.ended).code).toBe(0)

  const receiver = await aReceiver(503)
  const listening = await listen(receiver.url, '--replay', '1', '--json')
  await eventually(() => receiver.received.length === 1, { message: 'the last one is copied' })
  await aCallback('the next')
  await eventually(() => receiver.received.length === 2, { message: 'the next one is copied' })
  listening.interrupt()
  const { to, forwarded } = JSON.parse((await listening.ended).stdout)
  expect([to, forwarded[0]]).toEqual([
    receiver.url,
    { callbackId: id, outcome: 'refused', httpStatus: 503 },
  ])
  await receiver.close()
})

test('Ctrl-C does not wait for a receiver that hangs', async () => {
  const { url, received, close } = await aReceiver('never')
  const listening = await listen(url, '--json')
  const callbackId = await aCallback('no answer')
  await eventually(() => received.length === 1, { message: 'the receiver is called' })

  listening.interrupt()

  const { forwarded } = JSON.parse((await listening.ended).stdout)
  const failure = expect.not.stringMatching(/timeout/i)
  expect(forwarded).toEqual([{ callbackId, outcome: 'no answer', failure }])
  await close()
})

test('an example of each event is sent, signed with the same secret', async () => {
  const { url, received, close } = await aReceiver()
  const listening = await listen(url)
  listening.interrupt()
  await listening.ended

  const { code, stdout } = await running.despatch('trigger ALL --json')

  expect(code).toBe(0)
  const messages = await Promise.all(
    received.map((callback) => verifyCallback({ ...callback, secrets: [listening.secret] })),
  )
  expect(messages.map(({ type, data }) => data.jobStatus ?? type)).toEqual([
    ...['QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED', 'REJECTED'],
    'despatch.print.messages.v1.LetterReturned',
    'despatch.print.messages.v1.TestMessage',
  ])
  const ofStatuses = messages.slice(0, 6).map(({ data, metadata }) => ({ ...data, ...metadata }))
  expect(ofStatuses.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 1])
  const [letter, rejected] = [ofStatuses[0]!, ofStatuses[5]!]
  expect(rejected.jobId).not.toBe(letter.jobId)
  expect(new Set(ofStatuses.map(({ correlationId }) => correlationId)).size).toBe(2)
  expect(JSON.parse(stdout).sent).toHaveLength(8)
  await close()
})

test('an example that is refused ends with 1, and one without an address with 2', async () => {
  const { url, close } = await aReceiver(401)

  const refused = await running.despatch(`trigger REJECTED --to ${url}`)
  const nowhere = await running.despatch('trigger TEST --to ftp://a.example')
  const unknown = await running.despatch(`trigger NOTHING --to ${url}`)

  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('refused (401)')])
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('--to must be')])
  expect(unknown.code).toBe(2)
  await close()
})

test('init creates a consumer with a contract and a letter, once', async () => {
  const init = `init --user-name newcomer --base-url ${gateway.url}`

  const asked = await running.despatch([init, '--json'])
  const first = await running.despatch([init, '--yes --json'])
  const second = await running.despatch([init, '--yes --json'])

  expect([asked.code, JSON.parse(asked.stdout)]).toMatchObject([2, { userName: 'newcomer' }])
  expect([first.code, first.stderr]).toEqual([0, ''])
  const made = JSON.parse(first.stdout)
  expect(made).toMatchObject({ isNew: true })
  expect(JSON.parse(second.stdout)).toEqual({ ...made, isNew: false })
  const { rows } = await running.pool.query(
    `select job.id from print_job job join consumer on consumer.id = job.consumer_id
     where consumer.user_name = 'newcomer'`,
  )
  expect(rows).toEqual([{ id: made.id }])
  const { contracts } = await running.documentOf('contracts list newcomer')
  expect(contracts).toMatchObject([
    { unknownMembers: 'refuse', unreadableFiles: 'refuse', lettersWithoutFile: 'refuse' },
  ])
  const elsewhere = await running.despatch([init, '--yes --user-name somebody'])
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    1,
    expect.stringContaining('its credentials are not in'),
  ])
})

test('init neither sends nor overwrites the credentials of another installation', async () => {
  const path = join(running.directory, 'traveller.env')
  const saved = [
    "export DESPATCH_URL='https://elsewhere.example'",
    "export DESPATCH_USER_NAME='traveller'",
    "export DESPATCH_PASSWORD='p'",
    "export DESPATCH_API_KEY='k'",
  ].join('\n')
  await writeFile(path, saved)
  const init = `init --user-name traveller --base-url ${gateway.url} --yes`
  const consumers = async () => {
    const traveller = `select from consumer where user_name = 'traveller'`
    return (await running.pool.query(traveller)).rows.length
  }

  const fresh = await running.despatch(init)
  expect([fresh.code, fresh.stderr]).toEqual([
    1,
    expect.stringContaining('has the credentials of a consumer elsewhere'),
  ])
  expect(await consumers()).toBe(0)

  await rename(path, `${path}.kept`)
  const created = await running.despatch(init)
  expect(created.code).toBe(0)
  expect(created.stdout).toContain(`jobs watch`)
  expect(created.stdout).toContain(`--base-url ${gateway.url}`)
  expect((await stat(path)).mode & 0o777).toBe(0o600)

  await rename(`${path}.kept`, path)
  const known = await running.despatch(init)
  expect([known.code, known.stderr]).toEqual([
    1,
    expect.stringContaining('its credentials are not in'),
  ])
  expect(await readFile(path, 'utf8')).toBe(saved)
})
