import { expect, test } from 'vitest'
import { callerOf, signIn } from '../fuzz/contract/callers.ts'
import type { Draw } from '../fuzz/contract/draw.ts'
import { fuzzEnvironment } from '../fuzz/contract/fuzz-environment.ts'
import { createJudge } from '../fuzz/contract/judge-answer.ts'
import { createKnownValues, type KnownValues } from '../fuzz/contract/known-values.ts'
import type { FuzzRequest } from '../fuzz/contract/make-request.ts'
import { nameOf, type Operation, readOperations } from '../fuzz/contract/operations.ts'
import { prepare } from '../fuzz/contract/prepare.ts'
import { findBarred } from '../fuzz/contract/run-contract-fuzz.ts'
import { createSender } from '../fuzz/contract/send.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'

/** With them an example would be no example: the request is not valid, or its caller may not make it. */
const refusals = [400, 403, 405, 413, 415, 429]
/** Their examples have made-up passwords, or no session. */
const unauthenticated = ['authenticate', 'changePassword', 'createSession', 'getSession']
/** For a real object these need what no example knows: a time after the claim of a print run, a recent callback. */
const forNoObject = ['administration/postOnBehalf', 'administration/sendTestCallback']
/** The others act on objects of which the system under test has none. */
const successesMin = 75

/** The first value that was learned, so that a run is like the run before. */
const first = { pick: (values: readonly unknown[]) => values[0] } as Draw

test('every example of a request is accepted, and the answer is as its document says', async () => {
  await using despatch = await aDespatch(fuzzEnvironment, { prepare: liftUsagePlans })
  const { credentials } = despatch
  const [callers, operations] = [await signIn(credentials), await readOperations()]
  const sender = createSender(credentials)
  const known = createKnownValues(await findBarred(callers, credentials))
  await prepare({ credentials, callers, known, sender, operations })
  const judge = createJudge()

  const answers: { name: string; status: number; fault: unknown; text: string }[] = []
  for (const operation of operations.toSorted(lastOfAll)) {
    const { token, apiKey } = callers[callerOf(operation)]
    const request = requestOf(operation, known, { authorization: token, 'x-api-key': apiKey })
    const outcome = await sender.send(request)
    if (!('answer' in outcome)) throw new Error(`${nameOf(operation)}: ${outcome.broke}`)
    const { status, headers, body } = outcome.answer
    const text = String(headers['content-type']).includes('json') ? body.toString() : ''
    if (status < 300 && text) known.learn(nameOf(operation), JSON.parse(text))
    answers.push({ name: nameOf(operation), status, fault: judge(request, outcome), text })
  }
  sender.close()

  const isRefused = ({ name, status }: { name: string; status: number }) =>
    refusals.includes(status) ||
    (status === 401 && !unauthenticated.some((operation) => name.endsWith(`/${operation}`)))
  expect(answers.filter(({ fault }) => fault !== undefined)).toEqual([])
  expect(answers.filter(isRefused)).toEqual([])
  const successes = answers.filter(({ status }) => status < 400).map(({ name }) => name)
  expect(successes.length, successes.join(' ')).toBeGreaterThanOrEqual(successesMin)
})

/** The caller's own credentials are changed at the end. */
function lastOfAll(one: Operation, other: Operation): number {
  const rank = ({ id }: Operation) => (/^(changeApiKey|rotateSigningKey)$/.test(id) ? 1 : 0)
  return rank(one) - rank(other)
}

function requestOf(
  operation: Operation,
  known: KnownValues,
  credentials: Record<string, string>,
): FuzzRequest {
  const required = operation.parameters.filter((parameter) => parameter.required)
  const valuesIn = (place: string, chosen = (_: string, example: unknown) => example) =>
    required
      .filter((parameter) => parameter.in === place)
      .map(({ name, example }): [string, string] => [name, String(chosen(name, example))])
  const { body } = operation
  const path = valuesIn('path', (name, example) => {
    const isId = /(Id|Key|Number)$/.test(name) && !forNoObject.includes(nameOf(operation))
    return isId ? (known.draw(name, first) ?? example) : example
  })
  return {
    operation,
    path: Object.fromEntries(path.map(([name, value]) => [name, encodeURIComponent(value)])),
    query: valuesIn('query').map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    headers: {
      ...Object.fromEntries(valuesIn('header')),
      ...(body && { 'content-type': body.contentType }),
    },
    credentials: operation.credentials.length > 0 ? credentials : {},
    as: callerOf(operation),
    ...(body && { body: Buffer.from(textOf(body.example)) }),
  }
}

function textOf(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example)
}
