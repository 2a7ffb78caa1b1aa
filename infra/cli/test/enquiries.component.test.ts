import { numberHasher } from '@despatch/access/enquiry-number'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const hashNumber = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)
const reference = hashNumber('AA19AAA').toString('hex').slice(0, 12)

const running = await shared(aRunningDespatch())
const { audit, consumer, operator } = running
const plain = { consumerId: consumer.consumerId, purpose: null, asked: [], results: null }
const vehicle = { service: 'vehicle-enquiry', numberHash: hashNumber('AA19AAA') } as const
const driver = {
  service: 'full-driver-enquiry',
  numberHash: hashNumber('TESTR657220TT9AB'),
} as const
const find = { service: 'driver-find', numberHash: null, consumerId: operator.consumerId } as const
const asked = ['includeCPC', 'acceptPartialResponse=true']
await audit({ ...plain, ...vehicle, outcome: 'not-found', status: 404, correlationId: 'a' })
await audit({
  ...{ ...plain, ...driver, outcome: 'partial', status: 200, correlationId: 'b' },
  ...{ purpose: 'case 7', asked },
})
await audit({ ...plain, ...find, outcome: 'found', status: 200, correlationId: 'c', results: 3 })

test('lists who asked for what as a table, the newest first, without any number', async () => {
  const { code, stdout, stderr } = await running.despatch('enquiries list')

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^AT +BY +SERVICE +OUTCOME +STATUS +NUMBER +RESULTS +PURPOSE +ASKED$/),
    expect.stringMatching(/^\S+Z +chief +driver-find +found +200 +- +3 +- +-$/),
    expect.stringMatching(
      /^\S+Z +somebody +full-driver-enquiry +partial +200 +[0-9a-f]{12} +- +case 7 +includeCPC acceptPartialResponse=true$/,
    ),
    expect.stringMatching(
      new RegExp(`^\\S+Z +somebody +vehicle-enquiry +not-found +404 +${reference} +- +- +-$`),
    ),
  ])
})

test.each<[options: string, input: string | undefined, found: string]>([
  ['--consumer somebody', undefined, 'ba'],
  ['--service driver-find', undefined, 'c'],
  ['--outcome partial', undefined, 'b'],
  ['--from 2020-01-01T00:00:00Z', undefined, 'cba'],
  ['--to 2020-01-01T00:00:00Z', undefined, ''],
  ['--number -', 'aa19 aaa\n', 'a'],
  ['--number - --outcome found', 'AA19AAA', ''],
  ['--number=-', ' testr 657220 tt9ab \r\n', 'b'],
])('%s with %j on standard input', async (options, input, found) => {
  const { stdout } = await running.despatch(['enquiries list --json', options], {}, { input })

  const { enquiries } = JSON.parse(stdout)
  expect(enquiries.map((each: { correlationId: string }) => each.correlationId).join('')).toBe(
    found,
  )
})

test('continues where the previous page ended', async () => {
  const first = await running.despatch('enquiries list --limit 2')
  const cursor = /^Next page: --cursor (\d+)$/m.exec(first.stdout)?.[1] ?? ''

  const { enquiries } = await running.documentOf(`enquiries list --cursor ${cursor}`)

  expect(enquiries).toMatchObject([{ correlationId: 'a' }])
})

test.each<[what: string, options: string, input: string, code: number, stderr: string]>([
  [
    'a number among the arguments, which it does not repeat',
    '--number AA19AAA',
    '',
    2,
    'despatch: --number only accepts -, which reads the number from standard input\n',
  ],
  [
    'no number on standard input',
    '--number -',
    ' \n',
    2,
    'despatch: Number is missing: give it on standard input\n',
  ],
  [
    'text in place of a number',
    '--number -',
    'AA19-AAA',
    1,
    'despatch: registrationNumber must be at most 8 letters and digits (400)\n',
  ],
  [
    'an unknown consumer',
    '--consumer nobody',
    '',
    1,
    'despatch: There is no consumer nobody (404)\n',
  ],
])('ends with %s', async (_, options, input, code, stderr) => {
  expect(await running.despatch(['enquiries list', options], {}, { input })).toEqual({
    code,
    stdout: '',
    stderr,
  })
})
