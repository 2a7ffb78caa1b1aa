import { expect, test } from 'vitest'
import { programs } from './tree.ts'

/** Each of these may commit on its own, for the reason given. */
const handWritten = [
  'packages/postgres/src/transact.ts',
  // if the reply is lost, the taken callbacks wait until their leases expire
  'packages/store/src/callback/take.ts',
  // runs before any service, and records what it has applied
  'packages/store/src/migrate.ts',
  // each attempt resumes where the previous one stopped
  'packages/store/src/record-set/publish.ts',
]

const ofServices = programs.filter(({ path }) => /^(packages|services)\//.test(path))

test('every transaction that writes goes through transact, which looks up a lost reply', () => {
  const others = ofServices.filter(({ text }) => {
    const began = [...text.matchAll(/\.transaction\(\)(?:\s*\.set\w+\('[\w ]+'\))*/g)]
    return began.some(([chain]) => !chain.includes(".setAccessMode('read only')"))
  })

  expect(others.map(({ path }) => path)).toEqual([])
})

test('few files begin a transaction by hand', () => {
  const begins = ofServices.filter(({ text }) =>
    /\.startTransaction\(|query\(\s*['"`]\s*(begin|start transaction)\b/i.test(text),
  )

  expect(begins.map(({ path }) => path).toSorted()).toEqual(handWritten)
})
