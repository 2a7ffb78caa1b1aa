import { unknownPathsMax } from '@despatch/domain/json/unknown-members'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { replayCallbacksSchema } from './print-request/callback.ts'
import { printJobRequestSchema } from './print-request/print-job-request.ts'
import { holdPrintJobSchema } from './print-request/send-control-operations.ts'
import { createSigningSecretSchema } from './print-request/signing-secret.ts'
import { memberReader } from './request-members.ts'

const { read, suggest } = memberReader(printJobRequestSchema)
const pathsOf = (body: unknown) => read(body).paths

test.each<[body: unknown, paths: string[]]>([
  [{ standardParams: { despatchmethod: 'FIRST' } }, ['standardParams.despatchmethod']],
  [
    { a: { b: 1 }, standardParams: { address: { unknownAddress: { c: 1 } } } },
    ['a', 'standardParams.address.unknownAddress'],
  ],
  [{ customParams: [{ key: 'a' }, { vlaue: 'd' }] }, ['customParams[1].vlaue']],
  [
    { callbackParams: { url: 1, retryParams: { window: 1 } } },
    ['callbackParams.url', 'callbackParams.retryParams.window'],
  ],
  [{ sendControl: { notbefore: 1 } }, ['sendControl.notbefore']],
  [JSON.parse('{"__proto__":{"id":"x"},"constructor":1}'), ['__proto__', 'constructor']],
  [{ 'standardParams.despatchMethod': 'FIRST' }, ['["standardParams.despatchMethod"]']],
  [{ 'a\0\r\nb': 1 }, ['a\ufffd\ufffd\ufffdb']],
  [{ customParams: { key: 1 }, standardParams: [{ a: 1 }], callbackParams: 'x' }, []],
  [null, []],
  [[{ a: 1 }], []],
])('the unknown members of %j are %j', (body, paths) => {
  expect(read(body)).toEqual({ paths, count: paths.length })
})

test('names the first unknown members of a request, and counts the rest', () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`m${index}`, 1]))

  const { paths, count } = read({ ...many, ['x'.repeat(1_000_000)]: 1 })

  expect(count).toBe(50_001)
  expect(paths).toEqual(Array.from({ length: unknownPathsMax }, (_, index) => `m${index}`))
})

test.each([
  ['standardParams.despatchmethod', 'despatchMethod'],
  ['callbackParam', 'callbackParams'],
  ['customParams[12].vlaue', 'value'],
  ['standardParams.address.structuredAddress.town', 'postTown'],
  ['["standardParams.despatchMethod"]', undefined],
  ['params', undefined],
  ['standardParams.address.structuredAddress.county', undefined],
  ['standardParams.colour', undefined],
  ['a.b.c', undefined],
  ['', undefined],
])('for %s, suggests %s', (path, name) => {
  expect(suggest(path)).toBe(name)
})

test('removes null from optional members at every depth, and nowhere else', () => {
  const body = {
    id: null,
    unknown: null,
    standardParams: {
      jobType: null,
      businessIdentifier: null,
      address: { structuredAddress: { postTown: 'A', uprn: null }, bfpoAddress: null },
      handlingInstruction: null,
    },
    customParams: [{ key: 'a', value: null }, null],
    callbackParams: { target: null, retryParams: { enabled: null } },
  }

  expect(pathsOf(body)).toEqual(['unknown'])

  expect(body).toEqual({
    unknown: null,
    standardParams: { jobType: null, address: { structuredAddress: { postTown: 'A' } } },
    customParams: [{ key: 'a', value: null }, null],
    callbackParams: { target: null, retryParams: {} },
  })
})

test.each<[string, z.ZodType, object]>([
  ['a hold', holdPrintJobSchema, { reason: null }],
  ['a signing secret', createSigningSecretSchema, { overlapSeconds: null }],
  ['a replay, whose members depend on each other', replayCallbacksSchema, { dryRun: null }],
  ['an object that may be null', z.object({ a: z.string().optional() }).nullable(), { a: null }],
])('removes null from the members of %s', (_name, schema, body) => {
  memberReader(schema).read(body)

  expect(body).toEqual({})
})

test('finds no unknown member where the schema accepts any member', () => {
  const open = memberReader(z.object({ a: z.record(z.string(), z.number()), b: z.looseObject({}) }))

  expect(open.read({ a: { x: 1 }, b: { y: null } })).toEqual({ paths: [], count: 0 })
})
