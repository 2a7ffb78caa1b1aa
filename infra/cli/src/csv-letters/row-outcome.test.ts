import { DespatchError, refusalOf } from '@despatch/client/despatch-error'
import { expect, test } from 'vitest'
import { outcomeOfAnswer, outcomeOfDryRun, outcomeOfError } from './row-outcome.ts'

const refusal = (status: number, ...details: string[]) =>
  refusalOf(
    { status, headers: new Headers() },
    { errors: details.map((detail) => ({ code: 'X', detail })) },
    undefined,
  )
const finding = (severity: string, detail: string) => ({
  rule: 'r',
  number: 'P1',
  severity,
  detail,
})
const judged = (verdict: string, ...findings: ReturnType<typeof finding>[]) =>
  outcomeOfDryRun({ verdict, findings } as never)

test('a dry run refuses a row for its refusals, and accepts one with its notes', () => {
  const findings = [finding('note', 'a note'), finding('refusal', 'too wide')]

  expect(judged('rejected', ...findings)).toEqual({ kind: 'refused', why: 'P1: too wide' })
  expect(judged('accepted', findings[0]!)).toEqual({ kind: 'accepted', why: 'P1: a note' })
  expect(judged('accepted')).toEqual({ kind: 'accepted', why: '' })
})

test('an answer accepts a row, with its warnings', () => {
  expect(outcomeOfAnswer({})).toEqual({ kind: 'accepted', why: '' })
  expect(outcomeOfAnswer({ warnings: [{ detail: 'a' }, { detail: 'b' }] })).toEqual({
    kind: 'accepted',
    why: 'a; b',
  })
})

test('a refusal of the request is one of the row, with every violation', () => {
  expect(outcomeOfError(refusal(400, 'one', 'two'))).toEqual({ kind: 'refused', why: 'one; two' })
})

const taken = 'The supplied identifier csv-1 conflicts with another print job'
const unique = 'Please supply a unique identifier.'

test('a row whose letter exists is accepted, and was submitted before unless an answer was lost', () => {
  const same = refusal(409, `${taken}, whose content is the same. ${unique}`)
  const deletedAt = ', which was deleted at 2026-12-01T09:00:00.000Z'
  const deleted = refusal(409, `${taken}, whose content is the same${deletedAt}. ${unique}`)
  const afterLost = new DespatchError(same.message, { ...same, mayHaveTakenEffect: true })

  expect(outcomeOfError(same)).toEqual({
    kind: 'accepted',
    why: 'submitted before',
    isRepeated: true,
  })
  expect(outcomeOfError(deleted)).toEqual({
    kind: 'accepted',
    why: 'submitted before, and deleted at 2026-12-01T09:00:00.000Z',
    isRepeated: true,
  })
  expect(outcomeOfError(afterLost)).toEqual({ kind: 'accepted', why: '' })
})

test.each([', whose content is different', ''])(
  'a row whose id is taken%s is refused',
  (content) => {
    expect(outcomeOfError(refusal(409, `${taken}${content}. ${unique}`))).toMatchObject({
      kind: 'refused',
    })
  },
)

test.each([401, 403, 429, 500, 503])('%i says nothing of the row: the command fails', (status) => {
  expect(() => outcomeOfError(refusal(status, 'no'))).toThrow(
    expect.objectContaining({ name: 'Failure', exitCode: 1, status }),
  )
})

test('no answer says nothing of the row, and an interruption is passed on', () => {
  const interruption = new Error('interrupted')

  expect(() => outcomeOfError(new DespatchError('no answer', { kind: 'unreachable' }))).toThrow(
    'no answer',
  )
  expect(() => outcomeOfError(interruption)).toThrow(interruption)
})
