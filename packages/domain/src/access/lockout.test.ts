import { expect, test } from 'vitest'
import { decideSignIn, lockDelayMs, type SignInHistory } from './lockout.ts'

const rules = { attempts: 5, firstDelayMs: 1_000, delayMsMax: 900_000 }

test.for([
  [0, 0],
  [1, 0],
  [4, 0],
  [5, 1_000],
  [6, 2_000],
  [7, 4_000],
  [14, 512_000],
  [15, 900_000],
  [16, 900_000],
  [1_000_000, 900_000],
] as const)('%i wrong attempts delay the next by %i ms', ([failures, delayMs]) => {
  expect(lockDelayMs(failures, rules)).toBe(delayMs)
})

const limits = {
  pair: rules,
  user: { ...rules, attempts: 100 },
  source: { ...rules, attempts: 300 },
}
const locked = {
  pair: { failures: 6, ageMs: 500 },
  user: { failures: 102, ageMs: 1_000 },
  source: { failures: 303, ageMs: 0 },
}
const once = { failures: 1, ageMs: 0 }
const all = ['pair', 'user', 'source']

test.for<[what: string, SignInHistory['failures'], refused: [boolean, boolean], ms: number]>([
  ['nothing failed', {}, [false, false], 0],
  ['one attempt below each limit', below(), [false, false], 0],
  ['the pair is locked', { pair: locked.pair }, [true, true], 1_500],
  ['the lock of the pair is over', { pair: { failures: 6, ageMs: 2_000 } }, [false, false], 0],
  ['the user name is locked', { user: locked.user }, [true, false], 3_000],
  ['the source is locked', { source: locked.source }, [false, false], 8_000],
  ['and the pair failed once', { source: locked.source, pair: once }, [true, false], 8_000],
  ['all are locked', locked, [true, true], 8_000],
])(
  '%s: the decision for an unknown and a known pair, and the lock',
  ([, failures, refused, ms]) => {
    const unknown = decideSignIn({ failures, isKnown: false }, limits)
    const known = decideSignIn({ failures, isKnown: true }, limits)

    expect([unknown.isRefused, known.isRefused]).toEqual(refused)
    expect(unknown.lockedMs).toBe(ms)
    expect({ ...known, isRefused: unknown.isRefused }).toEqual(unknown)
  },
)

test.for<[what: string, SignInHistory['failures'], counted: readonly string[]]>([
  ['nothing is locked', below(), all],
  ['the pair is locked', { pair: locked.pair }, []],
  ['the user name is locked', { user: locked.user }, ['pair', 'source']],
  ['the source is locked', { source: locked.source }, ['pair', 'user']],
  ['both are locked', { user: locked.user, source: locked.source }, ['pair']],
])(
  'a failed or refused attempt counts only for unlocked subjects, while %s',
  ([, failures, counted]) => {
    expect(decideSignIn({ failures, isKnown: false }, limits).counted).toEqual(counted)
  },
)

function below(): SignInHistory['failures'] {
  const ageMs = 0
  return {
    pair: { failures: 4, ageMs },
    user: { failures: 99, ageMs },
    source: { failures: 299, ageMs },
  }
}
