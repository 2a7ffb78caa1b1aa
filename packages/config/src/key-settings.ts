import { z } from 'zod'
import { type KeySetting, serviceKeys } from './service-keys.mjs'

const keyHex = /^[0-9a-f]{64}$/i

/** The root of all keys. Services have only the keys that are derived from it. */
export const rootKeySettings = {
  DESPATCH_SECRET_KEY: z
    .string()
    .regex(keyHex, 'must be 64 hexadecimal characters: openssl rand -hex 32')
    .describe(
      'root from which the key of each purpose is derived; after a change, earlier enquiries cannot be found by number',
    ),
  DESPATCH_SECRET_KEY_PREVIOUS: previousKeys().describe(
    'previous values of DESPATCH_SECRET_KEY, separated by commas: needed until everything that their keys sealed is resealed',
  ),
}

/** The settings of each key, for the services that `serviceKeys` lists for it. */
export const keySettings = {
  signing: sealingKey('DESPATCH_KEY_SIGNING'),
  callbacks: sealingKey('DESPATCH_KEY_CALLBACKS'),
  search: sealingKey('DESPATCH_KEY_SEARCH'),
  console: sealingKey('DESPATCH_KEY_CONSOLE'),
  signIn: key('DESPATCH_KEY_SIGN_IN'),
  enquiries: key('DESPATCH_KEY_ENQUIRIES'),
}

function key<Name extends KeySetting>(name: Name) {
  const { seals, protects } = serviceKeys[name]
  const schema = z
    .string()
    .regex(keyHex, 'must be 64 hexadecimal characters')
    .describe(
      `key that ${seals ? 'seals' : 'hashes'} ${protects}; npx despatch keys derive prints it`,
    )
  return { [name]: schema } as Record<Name, typeof schema>
}

type SealingKey = {
  [Name in KeySetting]: (typeof serviceKeys)[Name]['seals'] extends true ? Name : never
}[KeySetting]

function sealingKey<Name extends SealingKey>(name: Name) {
  const schema = previousKeys().describe(
    `keys that ${name} had before, separated by commas: needed until everything that they sealed is resealed`,
  )
  const previous = { [`${name}_PREVIOUS`]: schema } as Record<`${Name}_PREVIOUS`, typeof schema>
  return { ...key(name), ...previous }
}

function previousKeys() {
  return z
    .string()
    .transform((keys) => keys.split(',').map((each) => each.trim()))
    .refine(
      (keys) => keys.every((each) => keyHex.test(each)),
      'must be keys of 64 hexadecimal characters, separated by commas',
    )
    .default([])
}
