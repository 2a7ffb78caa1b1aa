import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { paths, readText, root } from '../guards/tree.ts'
import {
  clientVerifiers,
  isThere,
  type Question,
  type Received,
  verifiers,
} from '../stack/callback-verifiers.ts'
import { fencesOf } from '../stack/runnable-guide.ts'

const guidePage = 'docs/callbacks/signatures.md'
const examples = 'docs/examples/callbacks'
/** On a developer's machine, languages that are not installed are skipped. If `CI` is set, they are required. */
const asked = [...verifiers, ...clientVerifiers].map((verifier) => {
  const missing =
    process.env.CI === undefined ? verifier.needs.find((one) => !isThere(one)) : undefined
  const reason = missing === undefined ? '' : `, left out: ${missing} is not installed`
  return { verifier, name: `${verifier.file}${reason}`, isLeftOut: missing !== undefined }
})

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwrZxXW9PmPMk='
const before = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDaF2uMcgyK5A='
const foreign = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const id = '0199f3c2-6a54-7c1e-9d2b-3f1a5e7b9c0d'
const body = '{"data":{"jobId":"letter-1","comment":"Grüße – ✓"}}'
const sentAt = 1_795_000_000

const signed = sign([secret])
const headers = signed.headers

type Case = [name: string, question: Question]
const accepted: Case[] = [
  ['one secret', ask(signed)],
  ['two signatures, and the secret of the first', ask(sign([secret, before]))],
  ['two signatures, and the secret of the second', ask(sign([before, secret]))],
  ['two secrets, and the signature of the first', ask(signed, { secrets: [secret, before] })],
  ['two secrets, and the signature of the second', ask(signed, { secrets: [before, secret] })],
  [
    'a signature of a version to come beside it',
    ask(withSignature(`v2,abc ${signatureOf(signed)}`)),
  ],
  ['an empty body', ask(sign([secret], { body: '' }))],
  ['a message that is five minutes old', ask(signed, { now: sentAt + 300 })],
  ['a message five minutes ahead of the clock', ask(signed, { now: sentAt - 300 })],
]
const refused: Case[] = [
  ['another body', ask({ headers, body: body.replace('letter-1', 'letter-2') })],
  ['a body with a space more', ask({ headers, body: `${body} ` })],
  ['another id', ask(withHeader('webhook-id', id.replace('0199', '0198')))],
  ['another timestamp', ask(withHeader('webhook-timestamp', String(sentAt + 1)))],
  ['a message that is older than five minutes', ask(signed, { now: sentAt + 301 })],
  ['a message more than five minutes ahead', ask(signed, { now: sentAt - 301 })],
  ['another secret', ask(signed, { secrets: [foreign] })],
  ['two other secrets', ask(signed, { secrets: [foreign, before] })],
  [
    'no secrets that verify a foreign signature',
    ask(sign([foreign]), { secrets: [secret, before] }),
  ],
  ['no id', ask(withHeader('webhook-id', undefined))],
  ['no timestamp', ask(withHeader('webhook-timestamp', undefined))],
  ['no signature', ask(withHeader('webhook-signature', undefined))],
  ['empty headers', ask({ body, headers: mapOf('', '', '') })],
  ['a timestamp in words', ask(withHeader('webhook-timestamp', 'yesterday'))],
  ['a timestamp with a fraction', ask(withHeader('webhook-timestamp', `${sentAt}.0`))],
  ['a timestamp as hexadecimal', ask(withHeader('webhook-timestamp', `0x${sentAt.toString(16)}`))],
  ['a timestamp that is too long', ask(withHeader('webhook-timestamp', '9'.repeat(40)))],
  ['a timestamp below zero', ask(withHeader('webhook-timestamp', `-${sentAt}`))],
  ['a signature without its version', ask(withSignature(signatureOf(signed).slice(3)))],
  ['a signature of another version', ask(withSignature(signatureOf(signed).replace('v1,', 'v2,')))],
  ['half a signature', ask(withSignature(signatureOf(signed).slice(0, 20)))],
  ['a signature and one character', ask(withSignature(`${signatureOf(signed)}A`))],
  ['a signature in lower case', ask(withSignature(signatureOf(signed).toLowerCase()))],
  ['a signature that is only a version', ask(withSignature('v1,'))],
  ['spaces for a signature', ask(withSignature('   '))],
  ['a signature beyond ASCII', ask(withSignature(`v1,${'ÿ✓'.repeat(22)}`))],
]

test('the guide shows the file of every verifier', () => {
  const shown = fencesOf(guidePage, readText(guidePage)).map(({ text }) => text)
  const verifying = verifiers.map(({ file }) => readText(`${examples}/${file}`))

  expect(verifying.filter((text) => !shown.includes(text))).toEqual([])
})

test('every example is run by a test', () => {
  const files = paths.filter((path) => path.startsWith(`${examples}/`))

  expect(files.map((path) => path.slice(examples.length + 1)).toSorted()).toEqual(
    [...verifiers.map(({ file }) => file), 'receiver.mjs'].toSorted(),
  )
})

test('the signing library verifies its own signature', () => {
  const now = Math.floor(Date.now() / 1000)
  const message = sign([secret], { sentAt: now })

  const verified = new Webhook(secret).verify(body, message.headers as Record<string, string>)
  expect(verified).toEqual(JSON.parse(body))
})

const emptySecrets = ['whsec_', ''].map((empty) => ask(signed, { secrets: [empty] }))

describe.each(asked)('$name', ({ verifier, isLeftOut }) => {
  test.skipIf(isLeftOut)('accepts only messages signed with the secret', () => {
    // clients parse the body, so that an empty one is an error
    const isClient = clientVerifiers.includes(verifier)
    const fitting = accepted.filter(([, { body }]) => !isClient || body !== '')
    const questions = [...fitting, ...refused].map(([, question]) => question)

    const answers = verifier.ask([...questions, ...emptySecrets])

    expect([...fitting, ...refused].map(([name], index) => [name, answers[index]])).toEqual([
      ...fitting.map(([name]) => [name, 'true']),
      ...refused.map(([name]) => [name, 'false']),
    ])
    const [whenEmpty, ...others] = answers.slice(questions.length)
    expect(whenEmpty, 'an empty secret').toMatch(/(Error|Exception)$/)
    expect(others).toEqual([whenEmpty])
  })
})

/** Returns a message as it is sent, with one signature for each secret. */
function sign(
  secrets: readonly string[],
  message: { body?: string; sentAt?: number } = {},
): Received {
  const at = message.sentAt ?? sentAt
  const text = message.body ?? body
  const signatures = secrets.map((one) => new Webhook(one).sign(id, new Date(at * 1000), text))
  return { headers: mapOf(id, String(at), signatures.join(' ')), body: text }
}

function mapOf(messageId: string, timestamp: string, signature: string) {
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

function withHeader(name: string, value: string | undefined): Received {
  return { headers: { ...headers, [name]: value }, body }
}

function withSignature(signature: string): Received {
  return withHeader('webhook-signature', signature)
}

function signatureOf(received: Received): string {
  return received.headers['webhook-signature']!
}

function ask(received: Received, receiver: { secrets?: string[]; now?: number } = {}): Question {
  return { ...received, secrets: receiver.secrets ?? [secret], now: receiver.now ?? sentAt + 2 }
}

test.each<[what: string, isAccepted: boolean, headers: Record<string, unknown>]>([
  ['names in any case', true, { 'Webhook-Id': id, 'webhook-id': undefined }],
  ['a list of one value', true, { 'webhook-id': [id] }],
  ['a list of two values', false, { 'webhook-id': [id, id] }],
  ['a name in two spellings', false, { 'Webhook-Id': id }],
  ['an empty list', false, { 'webhook-id': [] }],
])('verify-callback.mjs accepts headers with %s: %s', async (_, isAccepted, changed) => {
  const path = join(root, examples, 'verify-callback.mjs')
  const { isFromDespatch } = await import(/* @vite-ignore */ pathToFileURL(path).href)
  const given = { ...headers, ...changed }

  expect(isFromDespatch(given, Buffer.from(body), [secret], sentAt)).toBe(isAccepted)
})
