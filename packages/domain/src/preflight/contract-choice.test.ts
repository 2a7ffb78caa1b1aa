import { expect, test } from 'vitest'
import { choosableRules, judgeByContract, refusesFinding } from './contract-choice.ts'
import type { Finding } from './finding.ts'
import { rules } from './rules.ts'

const note = (rule: Finding['rule']): Finding => ({ rule, severity: 'note', detail: 'A part.' })

test('a contract may choose the severity of every address rule, except for unprintable addresses', () => {
  const numbers: string[] = Object.values(rules).map(({ number }) => number)
  const others = ['P501', 'P502']
  expect(choosableRules).toEqual(
    numbers.filter((number) => number.startsWith('P5') && !others.includes(number)),
  )
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

test('a contract changes only the severity of a finding', () => {
  const findings = [note('address-cut'), note('address-blank')]

  expect(judgeByContract({ strict: false, refusedRules: ['P504'] }, findings)).toEqual([
    { ...findings[0], severity: 'refusal' },
    findings[1],
  ])
})
