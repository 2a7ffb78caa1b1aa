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
import { createExampleStates, type StateValues } from '../stack/example-states.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'

/** Operations whose example is refused here, because the system under test cannot have what it acts on. */
const refused = {
  // the system of the test has no OpenID provider
  'administration/beginOidcSignIn': 404,
  'administration/finishOidcSignIn': 404,
  // print runs of the test are open for 300 ms
  'administration/releasePrintRun': 409,
  // only a fault of ours parks a letter
  'administration/redrivePrintJob': 409,
}

/** The first value that was learned, so that a run is like the run before. */
const first = { pick: (values: readonly unknown[]) => values[0] } as Draw

test('every example of a request is accepted, and the answer conforms to its document', async () => {
  await using despatch = await aDespatch(fuzzEnvironment, { prepare: liftUsagePlans })
  const { credentials } = despatch
  const [callers, operations] = [await signIn(credentials), await readOperations()]
  const sender = createSender(credentials)
  const known = createKnownValues(await findBarred(callers, credentials))
  await prepare({ credentials, callers, known, sender, operations })
  const states = await createExampleStates(credentials, callers)
  const judge = createJudge()

  const answers: { name: string; status: number; fault: unknown; text: string }[] = []
  for (const operation of operations.toSorted(lastOfAll)) {
    const name = nameOf(operation)
    const values = (await states[name]?.()) ?? {}
    const { token, apiKey } = callers[callerOf(operation)]
    const sent = { authorization: token, 'x-api-key': apiKey }
    const request = requestOf(operation, { known, values, credentials: sent })
    const outcome = await sender.send(request)
    if (!('answer' in outcome)) throw new Error(`${name}: ${outcome.broke}`)
    const { status, headers, body } = outcome.answer
    const text = String(headers['content-type']).includes('json') ? body.toString() : ''
    if (status < 300 && text) known.learn(name, JSON.parse(text))
    answers.push({ name, status, fault: judge(request, outcome), text })
  }
  sender.close()

  expect(answers.filter(({ fault }) => fault !== undefined)).toEqual([])
  const failures = answers.filter(({ status }) => status >= 400)
  const found = Object.fromEntries(failures.map(({ name, status }) => [name, status]))
  const texts = failures.map(({ name, text }) => `${name}: ${text}`).join('\n')
  expect(found, texts).toEqual(refused)
})

/** The caller's own credentials, and what the site of the test can print, are changed at the end. */
function lastOfAll(one: Operation, other: Operation): number {
  const rank = ({ id }: Operation) =>
    /^(changeApiKey|rotateSigningKey|putCapabilities)$/.test(id) ? 1 : 0
  return rank(one) - rank(other)
}

type Material = {
  known: KnownValues
  /** They replace values of the example that have their name. */
  values: StateValues
  credentials: Record<string, string>
}

function requestOf(operation: Operation, { known, values, credentials }: Material): FuzzRequest {
  const required = operation.parameters.filter((parameter) => parameter.required)
  const valuesIn = (place: string) =>
    required
      .filter((parameter) => parameter.in === place)
      .map(({ name, example }): [string, string] => [name, String(chosen(name, example))])
  const chosen = (name: string, example: unknown) => {
    const isId = operation.path.includes(`{${name}}`) && /(Id|Key|Number)$/.test(name)
    return values[name] ?? (isId ? known.draw(name, first) : undefined) ?? example
  }
  const { body } = operation
  const path = valuesIn('path').map(([name, value]) => [name, encodeURIComponent(value)])
  return {
    operation,
    path: Object.fromEntries(path),
    query: valuesIn('query').map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    headers: {
      ...Object.fromEntries(valuesIn('header')),
      ...values.headers,
      ...(body && { 'content-type': body.contentType }),
    },
    credentials: operation.credentials.length > 0 ? credentials : {},
    as: callerOf(operation),
    ...(body && { body: Buffer.from(textOf(body.example, values)) }),
  }
}

function textOf(example: unknown, values: StateValues): string {
  if (typeof example === 'string') return example
  return JSON.stringify(example, (name, value) => values[name] ?? value)
}
