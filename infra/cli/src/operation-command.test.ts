import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startHere } from '../test/a-command-line.ts'
import { everyCommand, wordsOfExample } from '../test/every-command.ts'
import { inspectedProgram } from './command-line-document.ts'
import { examplesOf, pathOf } from './examples.ts'
import { declarations, ordinaryNames } from './operation-command.ts'

type Schema = {
  $ref?: string
  properties?: Record<string, Schema>
  enum?: string[]
  items?: Schema
  anyOf?: Schema[]
}
type Operation = {
  operationId: string
  parameters?: { name?: string; schema?: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
const path = new URL('../../../docs/openapi/administration.json', import.meta.url)
const openApi = JSON.parse(readFileSync(path, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

const commands = everyCommand(await inspectedProgram()).flatMap((command) => {
  const declared = declarations.get(command)
  return declared ? [{ command, declared, name: pathOf(command) }] : []
})

test('every command has the path of its operation', () => {
  const pathOfOperation = (operation: string) => {
    const { method, path } = operations.find(({ operationId }) => operationId === operation)!
    const below = path.replace('/administration/v1', '').replaceAll(/\{(\w+)\}/g, ':$1')
    return `${method.toUpperCase()} ${below}`
  }

  expect(commands.length).toBeGreaterThan(50)
  expect(commands.map(({ name, declared }) => `${name}: ${declared.route}`)).toEqual(
    commands.map(({ name, declared }) => `${name}: ${pathOfOperation(declared.operation)}`),
  )
})

/** What a command changes before it sends it is tested with the command. */
const plain = commands.filter(({ declared: { give, send } }) => !give && !send)

test.each(plain)(
  'each argument and option of $name is a member of the request',
  ({ command, declared }) => {
    const members = requestOf(declared.operation)
    const nameOf = (name: string) => {
      const named = { ...ordinaryNames, ...declared.members }[name] ?? name
      return typeof named === 'string' ? named : named.member
    }
    const options = command.options.filter((option) => option.attributeName() !== 'yes')
    const given = [
      ...command.registeredArguments.map((argument) => argument.name()),
      ...options.map((option) => option.attributeName()),
    ]

    expect(Object.keys(members)).toEqual(expect.arrayContaining(given.map(nameOf)))
    for (const option of options) {
      if (option.argChoices)
        expect(choicesOf(members[nameOf(option.attributeName())]!)).toEqual(option.argChoices)
    }
  },
)

/** Returns the parameters of an operation, and the members of its body. */
function requestOf(operation: string): Record<string, Schema> {
  const { parameters = [], requestBody } = operations.find(
    ({ operationId }) => operationId === operation,
  )!
  const named = parameters.flatMap(({ name, schema = {} }) =>
    name ? [[name, schema] as const] : [],
  )
  const body = requestBody?.content['application/json']?.schema
  return { ...Object.fromEntries(named), ...(body && resolve(body).properties) }
}

function resolve(schema: Schema): Schema {
  const { $ref, anyOf } = schema
  if ($ref !== undefined) return resolve(openApi.components.schemas[$ref.split('/').at(-1)!]!)
  return anyOf?.[0] ? resolve(anyOf[0]) : schema
}

function choicesOf(schema: Schema): string[] | undefined {
  const resolved = resolve(schema)
  return resolved.items ? choicesOf(resolved.items) : resolved.enum
}

test('every command refuses an option that it does not have', async () => {
  for (const { command, name } of commands) {
    const words = wordsOfExample(examplesOf(command)[0]!)

    const ended = await startHere([...words, '--no-such-option'], {}).ended

    expect(ended, name).toEqual({
      code: 2,
      stdout: '',
      stderr: "error: unknown option '--no-such-option'\n(see --help)\n",
    })
  }
})

let sent: string[] = []
beforeEach(() => {
  sent = []
  vi.stubGlobal('fetch', async (url: string, { method }: { method: string }) => {
    sent.push(`${method} ${new URL(url).pathname.replace('/administration/v1', '')}`)
    return Response.json(everyAnswer)
  })
})
afterEach(() => vi.unstubAllGlobals())

const everyAnswer = {
  'id-token': 'token',
  consumers: [{ consumerId: 'C1' }],
  printJobs: [{ id: 'my-first-letter', printJobKey: 'K1' }],
  queues: [],
  batchNumber: 'R100001',
  documentCount: 3,
  tooLateCount: 1,
}
const asOperator = {
  DESPATCH_USER_NAME: 'chief',
  DESPATCH_PASSWORD: 'secret',
  DESPATCH_API_KEY: 'key',
}
const addresses = ['--base-url', 'http://127.0.0.1:1', '--ops-url', 'http://127.0.0.1:1']

test('a command that asks for agreement does nothing without a terminal, and says what it would do', async () => {
  const told: Record<string, string> = {}
  for (const { command, declared, name } of commands) {
    if (!declared.agree) continue
    const words = wordsOfExample(examplesOf(command)[0]!)
    const required = declared.operation === 'reassignPrintRun' ? ['--nothing-printed'] : []
    sent = []

    const ended = await startHere([...words, ...required, ...addresses], asOperator).ended

    expect(ended.code, name).toBe(2)
    expect(ended.stderr).toMatch(
      /^despatch: nothing was .+: there is no terminal to confirm it, so give --yes\n$/,
    )
    const changing = sent.filter(
      (request) => !/^GET |authenticate$|\/search$|\/count$/.test(request),
    )
    expect(changing, name).toEqual([])
    const lines = ended.stdout.split('\n')
    told[name] = lines.find((line) => line.startsWith('This ')) ?? lines[0]!
  }

  expect(told).toMatchInlineSnapshot(`
    {
      "consumers end-tokens": "This ends all tokens and console sessions of 1 consumer, acme. A client that signs in again only when its token expires fails for up to an hour. This cannot be undone.",
      "consumers reset-password": "This replaces the password of 1 consumer, acme. The old one and all its tokens stop working immediately. This cannot be undone.",
      "consumers rotate-key": "This replaces the API key of 1 consumer, acme. The old one and all its tokens stop working immediately. This cannot be undone.",
      "jobs cancel": "This ends 1 print job, my-first-letter. This cannot be undone, and its id stays taken.",
      "queues drain": "Removes the waiting tasks. Nothing is lost, because tasks carry no data.",
      "queues pause": "No more tasks are taken from it until it is resumed, even after a restart. Tasks in progress are finished.",
      "queues redrive": "Failed tasks are retried. Work that is already done is not repeated. Parked print jobs stay parked: retry those on the page of each, or with a bulk action.",
      "reprints authorise": "This authorises reprint 1: 1 document is printed again. This cannot be undone.",
      "reprints refuse": "This refuses reprint 1 and rejects 1 print job. This cannot be undone.",
      "runs close": "This closes R100001 with 3 documents. This cannot be undone.",
      "runs move": "This reassigns 3 documents of R100001. Whatever was printed is printed twice. This cannot be undone.",
      "runs post": "This records 3 documents of R100001 as DESPATCHED. This cannot be undone.",
      "runs recall": "This recalls 3 documents of R100001. This cannot be undone.",
      "runs settle-recall": "This recalls 3 documents of R100001 and rejects the print jobs. 1 is too late. This cannot be undone.",
      "stock issue": "This adds 500 numbers to the stock of LETTER of demo-provider. This cannot be undone.",
    }
  `)
})
