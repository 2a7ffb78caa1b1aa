import { numberHasher } from '@despatch/access/enquiry-number'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { describe, expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const hashNumber = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)
const reference = hashNumber('AA19AAA').toString('hex').slice(0, 12)

const running = await shared(aRunningDespatch())
const { audit, consumer, operator } = running
const plain = { consumerId: consumer.consumerId, purpose: null, asked: [], results: null }
await audit({
  ...plain,
  service: 'vehicle-enquiry',
  numberHash: hashNumber('AA19AAA'),
  outcome: 'not-found',
  status: 404,
  correlationId: 'a',
})
await audit({
  ...plain,
  service: 'full-driver-enquiry',
  numberHash: hashNumber('TESTR657220TT9AB'),
  outcome: 'partial',
  status: 200,
  correlationId: 'b',
  purpose: 'case 7',
  asked: ['includeCPC', 'acceptPartialResponse=true'],
})
await audit({
  ...plain,
  consumerId: operator.consumerId,
  service: 'driver-find',
  numberHash: null,
  outcome: 'found',
  status: 200,
  correlationId: 'c',
  results: 3,
})

test('lists who asked for what as a table, the newest first, without any number', async () => {
  const { code, stdout, stderr } = await running.despatch(['enquiries', 'list'])

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

test.for<[options: string[], input: string | undefined, found: string]>([
  [['--consumer', 'somebody'], undefined, 'ba'],
  [['--service', 'driver-find'], undefined, 'c'],
  [['--outcome', 'partial'], undefined, 'b'],
  [['--from', '2020-01-01T00:00:00Z'], undefined, 'cba'],
  [['--to', '2020-01-01T00:00:00Z'], undefined, ''],
  [['--number', '-'], 'aa19 aaa\n', 'a'],
  [['--number', '-', '--outcome', 'found'], 'AA19AAA', ''],
  [['--number=-'], ' testr 657220 tt9ab \r\n', 'b'],
  [['--limit', '2'], undefined, 'cb'],
])('%j with %j on standard input', async ([options, input, found]) => {
  const { code, stdout } = await running.despatch(
    ['enquiries', 'list', '--json', ...options],
    {},
    { input },
  )

  expect(code).toBe(0)
  const { enquiries } = JSON.parse(stdout)
  expect(enquiries.map((each: { correlationId: string }) => each.correlationId).join('')).toBe(
    found,
  )
})

test('continues where the previous page ended', async () => {
  const first = await running.despatch(['enquiries', 'list', '--limit', '2'])
  const cursor = /^Next page: --cursor (\d+)$/m.exec(first.stdout)?.[1] ?? ''

  const { enquiries } = await running.documentOf('enquiries', 'list', '--cursor', cursor)

  expect(enquiries).toMatchObject([{ correlationId: 'a' }])
})

test('says in its help why a number is no argument', async () => {
  const { stdout } = await running.despatch(['enquiries', 'list', '--help'])

  expect(stdout).toContain('--number takes - and nothing else')
})

describe('ends with', () => {
  test.for<
    [what: string, options: string[], input: string, ended: { code: number; stderr: string }]
  >([
    [
      'a number among the arguments, which it does not repeat',
      ['--number', 'AA19AAA'],
      '',
      {
        code: 2,
        stderr: 'despatch: --number only accepts -, which reads the number from standard input\n',
      },
    ],
    [
      'no number on standard input',
      ['--number', '-'],
      ' \n',
      { code: 2, stderr: 'despatch: Number is missing: give it on standard input\n' },
    ],
    [
      'text in place of a number',
      ['--number', '-'],
      'AA19-AAA',
      {
        code: 1,
        stderr: 'despatch: registrationNumber must be at most 8 letters and digits (400)\n',
      },
    ],
    [
      'an unknown consumer',
      ['--consumer', 'nobody'],
      '',
      { code: 1, stderr: 'despatch: There is no consumer nobody (404)\n' },
    ],
    [
      'a time without a zone',
      ['--from', 'yesterday'],
      '',
      {
        code: 2,
        stderr:
          "error: option '--from <time>' argument 'yesterday' is invalid. It must be a date and time with a time zone, such as 2026-01-31T09:00:00Z.\n(see --help)\n",
      },
    ],
  ])('%s', async ([, options, input, ended]) => {
    const answer = await running.despatch(['enquiries', 'list', ...options], {}, { input })

    expect(answer).toEqual({ ...ended, stdout: '' })
  })
})
