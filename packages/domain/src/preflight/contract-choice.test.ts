import { expect, test } from 'vitest'
import { choosableRules, judgeByContract, refusesFinding } from './contract-choice.ts'
import type { Finding } from './finding.ts'
import { rules } from './rules.ts'

const note = (rule: Finding['rule']): Finding => ({ rule, severity: 'note', detail: 'A part.' })

test('a contract chooses for every rule of the address that is reported as a note', () => {
  const notes = Object.values(rules).filter(
    ({ number, says }) => number.startsWith('P5') && says.includes('as a note'),
  )
  expect(choosableRules).toEqual(notes.map(({ number }) => number))
})

test.each([
  ['a contract by default', { strict: false, refusedRules: [] }, [false, false, false]],
  [
    'a contract that names one rule',
    { strict: false, refusedRules: ['P504', 'P407'] },
    [false, true, false],
  ],
  ['a strict contract', { strict: true, refusedRules: [] }, [true, true, false]],
])('%s', (_name, choice, refused) => {
  const ids = ['address-left-out', 'address-cut', 'font-not-embedded'] as const
  expect(ids.map((rule) => refusesFinding(choice, rule))).toEqual(refused)
})

test('only the severity changes', () => {
  const findings = [note('address-cut'), note('address-blank')]

  expect(judgeByContract({ strict: false, refusedRules: ['P504'] }, findings)).toEqual([
    { ...findings[0], severity: 'refusal' },
    findings[1],
  ])
})
