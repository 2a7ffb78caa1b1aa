import { expect, test } from 'vitest'
import { keysOfRoot } from './keys-of-root.ts'
import { deriveKeys, keyIdOf } from './service-keys.mjs'

const [root, previousRoot] = ['a1'.repeat(32), 'b2'.repeat(32)]
const [keys, previous] = [deriveKeys(root), deriveKeys(previousRoot)]

test('without previous roots the settings contain only the derived keys', () => {
  expect(keysOfRoot(root)).toEqual(keys)
})

test('after a change of the root, the settings keep the sealing keys of the previous root, but not that root', () => {
  const settings = keysOfRoot(root, { previousRootsHex: [previousRoot] })

  expect(settings).toMatchObject({
    ...keys,
    DESPATCH_KEY_SIGNING_PREVIOUS: previous.DESPATCH_KEY_SIGNING,
  })
  expect(Object.keys(settings).filter((name) => /(SIGN_IN|ENQUIRIES)_/.test(name))).toEqual([])
  expect(Object.values(settings).join()).not.toContain(previousRoot)
})

test('refuses a root that yields a key with the id of a previous key', () => {
  const id = keyIdOf(keys.DESPATCH_KEY_SEARCH)
  const roots = Array.from({ length: 5_000 }, (_, number) => number.toString(16).padStart(64, '0'))
  const other = roots.find((each) => keyIdOf(deriveKeys(each).DESPATCH_KEY_SEARCH) === id)!

  expect(() => keysOfRoot(root, { previousRootsHex: [other] })).toThrow(
    /^DESPATCH_SECRET_KEY yields a key with the id of a previous one: create another/,
  )
})
