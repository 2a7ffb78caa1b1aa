import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CallbackReceiver, startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackendsByEffort } from '@despatch/testing/queue-backends'
import { describe, expect, test } from 'vitest'
import { aCaller, authenticate, signedIn } from '../stack/a-caller.ts'
import { aConsumer, type Consumer } from '../stack/a-consumer.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import { makeSigningSecret, useCallbackOperations } from '../stack/callback-canaries.ts'
import { firstEvent, signInToConsole } from '../stack/console-session.ts'
import { enquireWithCanaries, recordColumns, soundColumns } from '../stack/enquire-with-canaries.ts'
import { hasAny, readColumns, readQueue } from '../stack/leaks.ts'
import { operateWithCanaries, reasonColumns } from '../stack/operate-with-canaries.ts'
import type { Credentials } from '../stack/start-despatch.ts'

const queueBackends = await takeQueueBackendsByEffort('redis')

// `personal` is in names, addresses, references and file contents. `secret` is in everything that would let somebody
// act as the consumer.
const personal = `canaryperson${randomUUID().slice(0, 8)}`
const secret = `canarysecret${randomUUID().slice(0, 8)}`

/** In the reasons that operators give. */
const said = `canaryreason${randomUUID().slice(0, 8)}`

/** In the answers of consumers, next to values that must not be stored from them. */
const echoed = `canaryanswer${randomUUID().slice(0, 8)}`

const unstructuredAddress = { line1: `${personal} line`, postcode: 'AB1 2CD' }

/** The columns that are meant to hold what the consumer sent, or what is made from it. */
const personalColumns = [
  'print_job.standard_params',
  'print_job.custom_params',
  'print_job.printable_address',
  'print_job.address_override',
]

describe.each(queueBackends)('with queues on $name', ({ name, url: queueUrl }) => {
  test('data of consumers is only in its columns and files', async () => {
    await using receiver = await startCallbackReceiver()
    await using despatch = await aDespatch({
      QUEUE_URL: queueUrl,
      DESPATCH_PRINT_RUN_AGE_MS: '200',
      DESPATCH_SIMULATOR: 'on',
      LOG_LEVEL: 'trace',
      // one of the two sources answers, and the other is unreachable
      [name === 'redis' ? 'DESPATCH_CPC_URL' : 'DESPATCH_TACHOGRAPH_URL']: 'http://127.0.0.1:9',
    })
    const { baseUrl, opsUrl, consumer: credential } = despatch.credentials
    const token = await authenticate(baseUrl, credential)
    await authenticate(baseUrl, { ...credential, password: `${secret}-wrong-password` }).catch(
      () => {},
    )
    const consumer = await aConsumer(baseUrl, credential)
    const signingSecrets = await makeSigningSecret(despatch.credentials, token)
    const callbackParams = callbackParamsTo(receiver)
    // Some consumers echo what they are sent, even when they refuse it.
    const echo = `${echoed} ${Object.values(callbackParams).join(' ')}`
    receiver.answerWith({ body: echo }, { status: 500, body: echo })
    const aLetter = (address: object, rest: object = {}) => ({
      ...letterTo(address),
      callbackParams,
      ...rest,
    })
    await sendWithCanaries(consumer, aLetter)
    await fetch(`${baseUrl}/print-request/v1/${personal}?${secret}`)
    const noPage = await consumer.call('GET', `jobs/${personal}/proof/1.png?${secret}`)
    expect(noPage.status).toBe(404)
    await eventually(() => receiver.calls.length === 2, { message: 'both callbacks are received' })
    const looking = { directory: despatch.directory, token, callbackParams }
    const looked = await useCallbackOperations(despatch.credentials, looking)
    await eventually(() => receiver.calls.length === 4, {
      message: 'a test message and a replay are received',
    })
    const enquired = await enquireWithCanaries(despatch.credentials, despatch.directory, token)
    const cookie = await signInToConsole(opsUrl, despatch.credentials.operator)
    const operated = await operateWithCanaries(despatch.credentials, {
      directory: despatch.directory,
      cookie,
      consumer,
      personal,
      said,
      letter: letterTo({ unstructuredAddress }),
    })
    const pages = await readPages(opsUrl, cookie)
    const changed = await changeCredentials(despatch.credentials, token)
    await despatch.stop()

    const log = await readFile(join(despatch.directory, 'despatch.log'), 'utf8')
    expect(log.length).toBeGreaterThan(1000)
    const places = {
      log,
      output: despatch.output().replaceAll(/password .*/g, ''),
      pages: pages.join('\n'),
      refusals: `${enquired.refusals}\n${operated.refusals}`,
      commands: `${enquired.output}\n${operated.output}`,
      callbacks: looked,
      queue: await readQueue(name, queueUrl),
    }
    const found = Object.entries(places).filter(([, text]) =>
      hasAny(text, [personal, said, secret, token, ...signingSecrets, ...enquired.canaries]),
    )
    expect(found.map(([place]) => place)).toEqual([])
    for (const kept of [credential.password, credential.apiKey, ...changed]) {
      expect(log).not.toContain(kept)
    }

    await expectOnlyInColumns(despatch.databaseUrl, {
      records: enquired.canaries,
      secrets: [
        ...[secret, token, ...signingSecrets, ...changed],
        ...[credential.password, credential.apiKey],
      ],
    })
  })
})

function callbackParamsTo({ url }: CallbackReceiver) {
  return {
    target: `${url}/${secret}-in-the-path?token=${secret}-query`,
    authenticationHeader: `Bearer ${secret}-header`,
  }
}

function letterTo(address: object) {
  return {
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: `${personal} name`,
      address,
      handlingInstruction: { line1: `${personal} handling` },
    },
    customParams: [{ key: `${personal}-key`, value: `${personal} value` }],
  }
}

/** Sends letters that are despatched, rejected and refused, tries some out, and looks at the proofs. */
async function sendWithCanaries(
  consumer: Consumer,
  aLetter: (address: object, rest?: object) => object,
): Promise<void> {
  const uploadId = await consumer.upload(Buffer.from(`%PDF-1.7 ${personal} damaged`))

  const despatched = await consumer.submit(aLetter({ unstructuredAddress }))
  const rejected = await consumer.submit(
    aLetter({ unstructuredAddress }, { fileParams: [{ fileId: 'scan', uploadId }] }),
  )
  await consumer.call('POST', 'jobs', aLetter({ unstructuredAddress: { line1: `${personal}` } }))
  await consumer.call('POST', 'jobs', `{ "${personal}"`)
  const tried = await dryRunWithCanaries(consumer, aLetter, { unstructuredAddress })
  expect(tried).toEqual([200, 200, 400, 400, 400])
  await consumer.reached(despatched, 'DESPATCHED')
  await consumer.reached(rejected, 'REJECTED')
  for (const id of [despatched, rejected]) {
    await consumer.download(`jobs/${id}/proof.pdf`)
    await consumer.download(`jobs/${id}/proof/1.png`)
  }
}

/** Returns the texts of the console's pages, of the metrics and of the event stream. */
async function readPages(opsUrl: string, cookie: string): Promise<string[]> {
  return Promise.all([
    ...['/', '/metrics'].map(async (path) => {
      const answer = await fetch(`${opsUrl}${path}`, { headers: { cookie }, redirect: 'manual' })
      expect([path, answer.status]).toEqual([path, 200])
      return answer.text()
    }),
    firstEvent(opsUrl, cookie),
  ])
}

/** Checks that the database has what was sent in the columns that are meant for it, and nowhere else. */
async function expectOnlyInColumns(
  databaseUrl: string,
  { records, secrets }: { records: readonly string[]; secrets: readonly string[] },
): Promise<void> {
  const columns = await readColumns(databaseUrl)
  const withPersonal = columns.filter(({ text }) => hasAny(text, [personal]))
  expect(withPersonal.map(({ column }) => column).toSorted()).toEqual(personalColumns.toSorted())
  const withRecords = columns
    .filter(({ text }) => hasAny(text, records))
    .map(({ column }) => column.replace(/_s\d+\./, '.'))
    .filter((column) => !soundColumns.includes(column))
  expect([...new Set(withRecords)].toSorted()).toEqual(recordColumns.toSorted())
  const withSecrets = columns.filter(({ text }) => hasAny(text, secrets))
  expect(withSecrets).toEqual([])
  const withReasons = columns.filter(({ text }) => hasAny(text, [said]))
  expect(withReasons.map(({ column }) => column).toSorted()).toEqual(reasonColumns)
  const withEcho = columns.filter(({ text }) => hasAny(text, [echoed]))
  expect(withEcho.map(({ column }) => column)).toEqual(['callback_attempt.answer'])
}

/** Sends dry runs of letters that would be accepted, rejected and refused, and returns the statuses. */
async function dryRunWithCanaries(
  consumer: Consumer,
  aLetter: (address: object, rest?: object) => object,
  address: object,
): Promise<number[]> {
  const damaged = Buffer.from(`%PDF-1.7 ${personal} damaged`).toString('base64')
  const uploadId = `${personal}-upload`
  const bodies = [
    aLetter(address),
    aLetter(address, { customParams: [{ key: 'scan', value: damaged }] }),
    aLetter({ unstructuredAddress: { line1: personal } }),
    aLetter(address, { fileParams: [{ fileId: 'scan', uploadId }] }),
    `{ "${personal}"`,
  ]
  const statuses: number[] = []
  for (const body of bodies) {
    statuses.push((await consumer.call('POST', 'jobs/validate', body)).status)
  }
  return statuses
}

/** Uses every operation that takes or returns a credential. Returns the secrets that it used and received. */
async function changeCredentials(
  { baseUrl, opsUrl, consumer, operator }: Credentials,
  token: string,
): Promise<string[]> {
  const access = aCaller(`${baseUrl}/thirdparty-access/v1`, {})
  const operate = aCaller(`${opsUrl}/administration/v1`, await signedIn(baseUrl, operator))
  const { userName, password } = consumer
  const newPassword = `${secret}-New-1!`
  const wrongCode = { userName, verifyCode: '918273', newPassword }

  const headers = { authorization: token, 'x-api-key': consumer.apiKey }
  const key = await access('POST', '/new-api-key', undefined, headers)
  expect(key.status).toBe(200)
  expect((await access('POST', '/password', wrongCode)).status).toBe(401)
  const change = await access('POST', '/password', { userName, password, newPassword })
  expect(change).toMatchObject({ status: 200, text: '{}' })
  const mail = { userName, email: 'demo-consumer@despatch.example' }
  expect(await access('POST', '/new-password', mail)).toMatchObject({ status: 200, text: '{}' })
  const created = await operate('POST', '/consumers', { userName: 'canary', name: 'Canary' })
  expect(created.status).toBe(201)
  return [newPassword, key.body.newApiKey, created.body.password, created.body.apiKey]
}
