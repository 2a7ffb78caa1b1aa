import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { printJobRequestSchema } from '@despatch/contracts/print-request/print-job-request'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Answer, aPng, aPrintRequest } from './a-print-request.ts'

/** Compares each cell of the table in docs/request-values.md with the dry run of such a print job. */

type Json = Record<string, unknown>
type Schema = Exclude<z.core.JSONSchema._JSONSchema, boolean>

const kinds = ['structuredAddress', 'unstructuredAddress', 'bfpoAddress', 'internationalAddress']
const under = (parent: string, names: string) => names.split(' ').map((name) => `${parent}.${name}`)
const ofAddress = (kind: string, names: string) => under(`standardParams.address.${kind}`, names)

/** The rows of the table with the members that each is about, which all behave the same. */
const rows: [label: string, paths: string[]][] = [
  ['`id`', ['id']],
  ['`jobType`, `templateReference`', under('standardParams', 'jobType templateReference')],
  ['`businessIdentifier`', under('standardParams', 'businessIdentifier')],
  ['`recipientName`', under('standardParams', 'recipientName')],
  ['`despatchMethod`', under('standardParams', 'despatchMethod')],
  ['`standardParams`', ['standardParams']],
  ['`address`', ['standardParams.address']],
  ['`structuredAddress` in use', under('standardParams.address', 'structuredAddress')],
  ['another address kind in use', under('standardParams.address', kinds.slice(1).join(' '))],
  ['an address kind not in use', under('standardParams.address', kinds.join(' '))],
  [
    'structured: members that are printed',
    ofAddress(
      'structuredAddress',
      'organisationName departmentName subBuildingName buildingName buildingNumber thoroughfareName ' +
        'dependentThoroughfareName doubleDependentLocality dependentLocality poBoxNumber postTown',
    ),
  ],
  ['structured: `country`', ofAddress('structuredAddress', 'country')],
  ['structured: `postcode`', ofAddress('structuredAddress', 'postcode')],
  ['structured: codes', ofAddress('structuredAddress', 'language dps uprn udprn')],
  [
    'other kinds: required lines, `country`',
    [
      ...ofAddress('unstructuredAddress', 'line1'),
      ...ofAddress('bfpoAddress', 'line1'),
      ...ofAddress('internationalAddress', 'line1 country'),
    ],
  ],
  [
    'other kinds: optional lines',
    [
      ...ofAddress('unstructuredAddress', 'line2 line3 line4 line5'),
      ...ofAddress('internationalAddress', 'line2 line3 line4 line5'),
    ],
  ],
  ['unstructured: `postcode`', ofAddress('unstructuredAddress', 'postcode')],
  ['unstructured: `dps`', ofAddress('unstructuredAddress', 'dps')],
  ['BFPO: optional lines', ofAddress('bfpoAddress', 'line2 line3 line4')],
  ['BFPO: `bfpoNumber`', ofAddress('bfpoAddress', 'bfpoNumber')],
  ['BFPO: `postcode`', ofAddress('bfpoAddress', 'postcode')],
  ['BFPO: `country`', ofAddress('bfpoAddress', 'country')],
  ['BFPO: `language`', ofAddress('bfpoAddress', 'language')],
  [
    '`handlingInstruction`, `callbackParams`',
    ['standardParams.handlingInstruction', 'callbackParams'],
  ],
  ['`handlingInstruction`: `line1`', ['standardParams.handlingInstruction.line1']],
  [
    '`handlingInstruction`: other lines',
    under('standardParams.handlingInstruction', 'line2 line3 line4 line5 line6 line7'),
  ],
  ['`customParams`, `fileParams`', ['customParams', 'fileParams']],
  ['`customParams`: `key`, `value`', under('customParams.0', 'key value')],
  ['`fileParams`: `fileId`', ['fileParams.0.fileId']],
  ['`fileParams`: `uploadId`', ['fileParams.0.uploadId']],
  ['`callbackParams`: `target`', ['callbackParams.target']],
  ['`callbackParams`: `authenticationHeader`', ['callbackParams.authenticationHeader']],
  ['`retryParams`, `sendControl`', ['callbackParams.retryParams', 'sendControl']],
  ['`retryParams`: `enabled`', ['callbackParams.retryParams.enabled']],
  ['`retryParams`: `maxRetryWindow`', ['callbackParams.retryParams.maxRetryWindow']],
  ['`sendControl`: `notBefore`', ['sendControl.notBefore']],
  ['`sendControl`: `hold`', ['sendControl.hold']],
]
const columns = ['too long', 'unknown', 'empty', 'blank', 'null', 'repeated'] as const
type Column = (typeof columns)[number]

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()
await service.database.db
  .insertInto('usage_plan')
  .values({
    name: 'unlimited',
    service: 'print-request',
    requests_per_second: 10_000,
    burst: 10_000,
  })
  .execute()
await service.database.db
  .updateTable('consumer')
  .set({ usage_plan: 'unlimited' })
  .where('id', '=', consumer.consumerId)
  .execute()
const { body: upload } = await consumer.call({ path: 'files/upload-url' })
const { uploadId, url } = upload as { uploadId: string; url: string }
await fetch(url, { method: 'PUT', body: new Uint8Array(Buffer.from(aPng, 'base64')) })
const page = await readFile(new URL('../../../docs/request-values.md', import.meta.url), 'utf8')
/** The rows of the page's table, as the cells are without the spaces that align them. */
const table = [...page.matchAll(/^\|( .+ )\|$/gm)].map(([, row]) =>
  row!.split('|').map((cell) => cell.trim()),
)
const schema = z.toJSONSchema(printJobRequestSchema, { io: 'input' }) as Schema

test('the table of values has a row for every member of a print job', () => {
  const tested = new Set(rows.flatMap(([, paths]) => paths))

  expect([...tested].toSorted()).toEqual(pathsOf(schema).toSorted())
  const labels = table.map(([label]) => label).filter((label) => !label!.startsWith('--'))
  expect(labels).toEqual(['member', ...rows.map(([label]) => label)])
})

test.each(rows)('%s', async (label, paths) => {
  const row = table.find(([first]) => first === label)
  const isInUse = !label.endsWith('not in use')

  for (const path of paths) {
    const cells: string[] = []
    for (const column of columns) cells.push(await outcomeOf(path, { column, isInUse }))
    expect([path, label, ...cells]).toEqual([path, ...row!])
  }
})

/** Returns what happens to a print job whose only difference is the member at the path. */
async function outcomeOf(
  path: string,
  { column, isInUse }: { column: Column; isInUse: boolean },
): Promise<string> {
  const body = bodyFor(path, isInUse)
  const steps = path.split('.')
  const name = steps.pop()!
  const parent = steps.reduce<Json>((value, step) => value[step] as Json, body)
  const node = schemaAt(path)
  if (!isInUse && column !== 'null') return '–'
  if (column !== 'repeated') {
    const value = valueFor(node, path, column)
    if (value === undefined) return '–'
    parent[name] = value
    return outcome(await dryRun(body))
  }
  const value = parent[name]
  if (Array.isArray(value)) {
    parent[name] = [...value, ...value]
    return outcome(await dryRun(body))
  }
  parent[name] = 'the mark'
  const given = JSON.stringify(value)
  return outcome(
    await dryRun(JSON.stringify(body).replace('"the mark"', `${given},"${name}":${given}`)),
  )
}

const dryRun = (body: unknown) => consumer.call({ method: 'POST', path: 'jobs/validate', body })

/** Rules that say that something was ignored or is not printed as it was given. */
const reported = ['P001', 'P501', 'P502', 'P503', 'P504', 'P505', 'P506']

function outcome({ status, body }: Answer): string {
  if (status === 200) {
    const { verdict, findings } = body as { verdict: string; findings: { number: string }[] }
    if (verdict !== 'accepted') return verdict
    const numbers = findings.map(({ number }) => number).filter((each) => reported.includes(each))
    return [...new Set(numbers)].join(', ') || 'ok'
  }
  const codes = (body as { errors: { code: string }[] }).errors.map(({ code }) => code)
  return [status === 400 ? '' : `${status} code `, [...new Set(codes)].join(', ')].join('')
}

/** The members whose values must be known. */
const known: Json = {
  'standardParams.jobType': 'OTHER',
  'standardParams.templateReference': 'OTHER',
  'standardParams.despatchMethod': 'SECOND',
  'fileParams.0.uploadId': randomUUID(),
}

/** Returns undefined if there is no such value of the member. */
function valueFor(node: Schema, path: string, column: Exclude<Column, 'repeated'>): unknown {
  const { type, maxLength: max = 999, maximum, maxItems } = node
  const isText = type === 'string' && !node.enum
  switch (column) {
    case 'null':
      return null
    case 'empty':
      return type === 'array' ? [] : type === 'object' ? {} : ''
    case 'blank':
      return isText ? ' '.repeat(Math.min(max, 20)) : undefined
    case 'unknown':
      if (type !== 'object') return known[path]
      return { ...(valueAt(bodyFor(path), path) as Json), unknown: null }
    case 'too long':
      if (path.endsWith('target')) return `https://consumer.example/${'x'.repeat(max)}`
      if (isText && !node.format) return 'x'.repeat(max + 1)
      if (type === 'integer') return maximum! + 1
      if (type !== 'array') return undefined
      return Array.from({ length: maxItems! + 1 }, (_, index) => ({ key: `k${index}`, value: 'v' }))
  }
}

const addresses: Record<string, Json> = {
  structuredAddress: {
    organisationName: 'Example',
    departmentName: 'Post',
    subBuildingName: 'Flat 1',
    postTown: 'Swansea',
    postcode: 'SA1 1AA',
  },
  unstructuredAddress: { line1: '1 High Street', line2: 'Swansea', postcode: 'SA1 1AA' },
  bfpoAddress: { line1: 'Cpl A Smith', bfpoNumber: 801 },
  internationalAddress: { line1: '1 Rue Haute', line2: 'Paris', country: 'France' },
}

/** A print job that is accepted without a finding, and has the member at the path. */
function bodyFor(path: string, isInUse = true): Json {
  const asked = kinds.find((kind) => path.split('.').includes(kind))
  const used = asked && isInUse ? asked : kinds.find((kind) => kind !== asked && kind !== kinds[0])!
  const body: Json = {
    id: 'a-print-job',
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      businessIdentifier: 'case-7',
      recipientName: 'Ms A Person',
      despatchMethod: 'FIRST',
      address: { [used]: { ...addresses[used] } },
      handlingInstruction: { line1: 'By hand' },
    },
    customParams: [{ key: 'amount', value: '12.50' }],
    callbackParams: {
      target: 'https://consumer.example/called',
      authenticationHeader: 'Bearer a',
      retryParams: { enabled: true, maxRetryWindow: 60 },
    },
    sendControl: {
      notBefore: new Date(Date.now() + 172_800_000).toISOString().slice(0, 10),
      hold: false,
    },
    ...(path.startsWith('fileParams') && { fileParams: [{ fileId: 'scan', uploadId }] }),
  }
  const steps = path.split('.')
  const name = steps.pop()!
  const parent = steps.reduce<Json>((value, step) => value[step] as Json, body)
  if (isInUse) parent[name] ??= 'a'
  return body
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, step) => (inner as Json)[step], value)
}

function schemaAt(path: string): Schema {
  return path.split('.').reduce<Schema>((node, step) => {
    return plain(node.properties ? node.properties[step] : node.items)
  }, schema)
}

/** Returns the paths of all members that a schema describes. */
function pathsOf(node: Schema): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const inner = plain(member)
    const item = inner.items ? pathsOf(plain(inner.items)).map((path) => `0.${path}`) : []
    return [name, ...[...pathsOf(inner), ...item].map((path) => `${name}.${path}`)]
  })
}

/** Returns the schema of the values other than null. */
function plain(node: unknown): Schema {
  const { anyOf, type, ...others } = node as Schema & { type?: string | string[] }
  const notNull = [type ?? []].flat().find((each) => each !== 'null')
  const one = anyOf?.find((each) => (each as Schema).type !== 'null')
  return (one ?? { ...others, ...(notNull && { type: notNull }) }) as Schema
}
