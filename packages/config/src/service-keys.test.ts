import { hkdfSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveKeys, keyIdOf, keySettingNames, serviceKeys } from './service-keys.mjs'

const roots = Array.from({ length: 300 }, (_, number) => number.toString(16).padStart(64, '0'))
const sealing = Object.entries(serviceKeys).flatMap(([name, { seals }]) => (seals ? [name] : []))

test('each setting has its own key, stable for one root and different for another root', () => {
  const [keys, others] = roots.slice(0, 2).map((root) => Object.values(deriveKeys(root)))

  expect(Object.keys(deriveKeys(roots[0]!))).toEqual(Object.keys(serviceKeys))
  expect(Object.values(deriveKeys(roots[0]!))).toEqual(keys)
  expect(new Set([...keys!, ...others!, ...roots.slice(0, 2)]).size).toBe(keys!.length * 2 + 2)
  for (const key of keys!) expect(key).toMatch(/^[0-9a-f]{64}$/)
})

test('keys are those of HKDF-SHA-256 (RFC 5869), which other tools can derive too', () => {
  const root = 'ab'.repeat(32)
  const hkdf = hkdfSync('sha256', Buffer.from(root, 'hex'), '', 'search of letters', 32)

  expect(deriveKeys(root).DESPATCH_KEY_SEARCH).toBe(Buffer.from(hkdf).toString('hex'))
  // A change of these would make values unreadable.
  expect(deriveKeys(root)).toMatchInlineSnapshot(`
    {
      "DESPATCH_KEY_CALLBACKS": "b2f3f4951959bc54a73a665c6bb2146020a4c7dca134ed929dc4f6a6dd75573f",
      "DESPATCH_KEY_CONSOLE": "63b6648bb8ff6101c81e2c7717f5cfe6238633dda37c0351f663df4e5365ebe4",
      "DESPATCH_KEY_ENQUIRIES": "d6caa8451d07729d84010b3e1853a0a338692950c96735f02964219e7b83b92c",
      "DESPATCH_KEY_SEARCH": "d1d7fa2844152b38dbd9050762d1dacff449dd6cb610df5057ab874b265e9244",
      "DESPATCH_KEY_SIGNING": "c07de544cf8ed786b837d1bcd3750fff228599f8d527fee80cbe10df1211a5ec",
      "DESPATCH_KEY_SIGN_IN": "4808ba9d73493f89c5f8d0f9d4e07e67645792604b68e75b9c16d2dadb3877ab",
    }
  `)
})

test('for every root, the ids of the root and of its sealing keys differ', () => {
  for (const root of roots) {
    const keys = Object.entries(deriveKeys(root)).flatMap(([name, key]) =>
      sealing.includes(name) ? [key] : [],
    )
    expect(new Set([root, ...keys].map(keyIdOf)).size).toBe(sealing.length + 1)
  }
})

test('a service has only its own key settings, and previous keys only if the service seals values', () => {
  expect(keySettingNames('callbacks')).toEqual([
    'DESPATCH_KEY_CALLBACKS',
    'DESPATCH_KEY_CALLBACKS_PREVIOUS',
  ])
  expect(keySettingNames('driver-find')).toEqual(['DESPATCH_KEY_ENQUIRIES'])
  expect(keySettingNames('pipeline')).toEqual([])
  expect(keySettingNames()).toHaveLength(Object.keys(serviceKeys).length + sealing.length)
})
