import { ConfigError } from './read-config.ts'
import { deriveKeys, keyIdOf, serviceKeys } from './service-keys.mjs'

/**
 * Which keys seal while a release takes over that sealed with the root itself. `prepare`: the root still seals, and
 * values of the derived keys can be opened. `switch`: the derived keys seal, and values of the root can be opened.
 */
export type KeyTakeover = 'prepare' | 'switch'

export type KeysOfRootOptions = {
  previousRootsHex?: readonly string[]
  takeover?: KeyTakeover | undefined
}

/**
 * Returns the settings of all keys of a root, with the keys of previous roots. During a takeover they contain the
 * previous roots themselves too. Throws a ConfigError if a key of the root cannot be told from a previous one.
 */
export function keysOfRoot(
  rootHex: string,
  { previousRootsHex = [], takeover }: KeysOfRootOptions = {},
): Record<string, string> {
  const keys = deriveKeys(rootHex)
  const keysBefore = previousRootsHex.map(deriveKeys)
  const roots = takeover ? previousRootsHex : []
  const settings = Object.entries(serviceKeys).flatMap(([setting, { seals }]) => {
    const name = setting as keyof typeof serviceKeys
    if (!seals) return [[name, keys[name]]]
    const before = [...keysBefore.map((each) => each[name]), ...roots]
    const [current, other] = takeover === 'prepare' ? [rootHex, keys[name]] : [keys[name], rootHex]
    const previous = distinct(current, takeover ? [other, ...before] : before)
    return [
      [name, current],
      ...(previous.length > 0 ? [[`${name}_PREVIOUS`, previous.join(',')]] : []),
    ]
  })
  return Object.fromEntries(settings)
}

/** Returns the previous keys without repetitions and the current key. A sealed value names its key by the key's id. */
function distinct(current: string, previous: readonly string[]): string[] {
  const others = [...new Set(previous)].filter((each) => each !== current)
  if (new Set([current, ...others].map(keyIdOf)).size <= others.length) {
    throw new ConfigError(
      'DESPATCH_SECRET_KEY yields a key with the id of a previous one: create another DESPATCH_SECRET_KEY',
    )
  }
  return others
}
